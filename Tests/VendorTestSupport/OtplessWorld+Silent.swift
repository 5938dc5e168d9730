import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import OtplessSurface
@testable import SurfaceTestSupport

/// Silent proofs: a backend that begins them, and a phone that follows the chain over the played operator.
extension OtplessWorld {
    static let phone = MobileAuthWalk.phone

    func sna(_ number: String = lorant, _ more: String = "", as client: String = "sandbox") async -> Response {
        await post("/auth/v1/initiate/sna", #"{"phoneNumber":"\#(number)"\#(more)}"#, as: client)
    }

    func detail(_ id: String, as client: String = "sandbox") async -> Response {
        var request = World.request(
            .get, "/otpless/auth/v2/status", "", Self.headers(client, "\(client)-secret"), contentType: nil)
        request.rawQuery = "requestId=\(id)"
        return await self.client.send(request)
    }

    /// The one factor of a request: its state, and the code of its error.
    func factor(_ id: String) async -> [String?] {
        let factor = await detail(id).json["auths"]?.array?.first?.object
        return [factor?["status"]?.string, factor?["error"]?.object?["errorCode"]?.string]
    }

    /// One hop, whichever surface has it.
    func hop(
        _ url: String, _ method: Method = .get, from peer: PeerAddress = phone,
        headers: [(name: String, value: String)] = []
    ) async -> Response {
        guard url.hasPrefix(World.publicURL) else { return Response(status: 599) }
        let parts = url.dropFirst(World.publicURL.utf8.count).split(separator: "?", maxSplits: 1).map(String.init)
        let request = Request(
            method: method, path: parts[0], rawQuery: parts.count > 1 ? parts[1] : "", headers: Headers(headers),
            peer: peer, id: "hop")
        return parts[0].hasPrefix("/otpless/") ? await client.send(request) : await world.client.send(request)
    }

    /// Where the operator sends a phone back to that comes with this answer of the first hop.
    func back(_ first: Response, _ outcome: String = "code=code-1") throws -> String {
        let location = try #require(first.header("location"))
        #expect(location.hasPrefix("https://operator.example/authorize?state="))
        let state = try #require(location.split(separator: "=").dropFirst().first?.split(separator: "&").first)
        return "\(World.publicURL)/ma/v1/cb?\(outcome)&state=\(state)"
    }

    /// Follows a chain to its last address, which the phone has not opened yet.
    func follow(_ link: String, _ outcome: String = "code=code-1") async throws -> String {
        let first = await hop(link)
        #expect(first.status == 302 && first.header("referrer-policy") == "no-referrer")
        let returned = await hop(try back(first, outcome))
        #expect(returned.status == 303)
        return try #require(returned.header("location"))
    }

    /// The id of a request, and the end of its chain, which the phone has not opened yet.
    func chain(_ answer: Result<OperatorAnswer, OperatorFault>) async throws -> (id: String, end: String) {
        world.carrier.answer(answer)
        let begun = await sna()
        return (begun.requestID, try await follow(begun.link))
    }
}

extension Response {
    var link: String { json["link"]?.string ?? "" }
}
