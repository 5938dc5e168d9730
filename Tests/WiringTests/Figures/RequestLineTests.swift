import Foundation
import Testing

@testable import HTTPServer
@testable import Wiring

/// The log line of a request, with its caller and its session, in a whole server.
@Suite struct RequestLineTests {
    private static let json = "Content-Type: application/json"

    private static func lines(
        _ environment: [String: String] = [:], _ body: (UInt16) async throws -> Void
    ) async throws -> [[String: Any]] {
        let configuration = try ServerFixture.configuration(ServerFixture.freshDirectory(), environment)
        let log = try await ServerFixture.withServerAndLog(configuration) { try await body($1) }.log
        return log.filter { $0["message"] as? String == "request" }
    }

    /// The members that this suite is about, of the only line of a route and status.
    private static func members(
        _ lines: [[String: Any]], _ route: String, _ status: Int
    ) throws -> [String: String] {
        let found = lines.filter { $0["route"] as? String == route && $0["status"] as? Int == status }
        let line = try #require(found.count == 1 ? found[0] : nil, "lines of \(route) with \(status): \(found.count)")
        return line.filter { ["client", "correlationId", "error", "address"].contains($0.key) }
            .compactMapValues { $0 as? String }
    }

    @Test func `names the API client, the session and the error of a backend's calls`() async throws {
        let unknown = "01999999-9999-7999-8999-999999999999"
        var id = ""
        let lines = try await Self.lines { port in
            let token = try ServerFixture.token(port)
            id = try ServerFixture.unify(port, token).member("correlationId")
            _ = try ServerFixture.status(port, token, id)
            _ = try ServerFixture.status(port, token, unknown)
            _ = try ServerFixture.call(port, "POST", "/v3/unify", [Self.json, "Authorization: Bearer x"], body: "{}")
            _ = try ServerFixture.call(
                port, "POST", "/token", ["Content-Type: application/x-www-form-urlencoded"],
                body: "client_id=stranger&client_secret=x&grant_type=client_credentials")
            _ = try ServerFixture.call(port, "GET", "/nothing")
        }
        #expect(try Self.members(lines, "/token", 200) == ["client": "sandbox"])
        #expect(try Self.members(lines, "/v3/unify", 200) == ["client": "sandbox", "correlationId": id])
        #expect(try Self.members(lines, "/v3/unify-status", 200) == ["client": "sandbox", "correlationId": id])
        #expect(
            try Self.members(lines, "/v3/unify-status", 400)
                == ["client": "sandbox", "correlationId": unknown, "error": "8008"])
        #expect(try Self.members(lines, "/v3/unify", 401) == ["error": "8002"])
        #expect(try Self.members(lines, "/token", 401) == ["error": "invalid_client"])
        #expect(try Self.members(lines, "none", 404) == ["error": "8001"])
    }

    @Test func `names them for the calls of a client, and in the answer to a retry`() async throws {
        var id = ""
        let lines = try await Self.lines { port in
            let started = try ServerFixture.unify(port, try ServerFixture.token(port))
            id = started.member("correlationId")
            let headers = [Self.json, "Authorization: Bearer \(started.member("authToken"))"]
            let session = "/client/v1/session"
            _ = try ServerFixture.call(port, "POST", session, headers, body: #"{"platform":"web","fallback":"otp"}"#)
            _ = try ServerFixture.call(port, "POST", session + "/otp", headers, body: "{}")
            for _ in 0..<2 {
                _ = try ServerFixture.call(
                    port, "POST", session + "/otp/verify", headers, body: #"{"code":"9999","requestId":"r"}"#)
            }
            _ = try ServerFixture.call(port, "POST", session, [Self.json, "Authorization: Bearer x"], body: "{}")
        }
        let known = ["client": "sandbox", "correlationId": id]
        #expect(try Self.members(lines, "/client/v1/session", 200) == known)
        #expect(try Self.members(lines, "/client/v1/session", 401) == ["error": "invalid_token"])
        let wrong = lines.filter { $0["route"] as? String == "/client/v1/session/otp/verify" }
        #expect(wrong.count == 2 && wrong.allSatisfy { $0["error"] as? String == "otp_mismatch" })
        #expect(wrong.allSatisfy { $0["correlationId"] as? String == id })
    }

    @Test func `names them for whoever holds a link, and for a phone on its way to the operator`() async throws {
        var (id, travelling) = ("", "")
        let lines = try await Self.lines { port in
            let token = try ServerFixture.token(port)
            let started = try ServerFixture.call(
                port, "POST", "/v3/unify", [Self.json, "Authorization: Bearer \(token)"],
                body: #"{"phoneNumber":"2001004014","possessionType":"desktop","finalTargetUrl":"https://a.example/b"}"#
            )
            id = started.member("correlationId")
            let headers = [Self.json, "Authorization: Bearer \(started.member("authToken"))"]
            let session = "/client/v1/session"
            _ = try ServerFixture.call(
                port, "POST", session, headers, body: #"{"platform":"web","fallback":"link","cellular":"yes"}"#)
            _ = try ServerFixture.call(port, "POST", session + "/link", headers, body: "{}")
            let messages = try ServerFixture.call(port, "GET", "/sandbox/messages").text
            let link = try #require(messages.firstRange(of: "/l/"))
            let path = String(messages[link.lowerBound...].prefix(25))
            _ = try ServerFixture.call(port, "GET", path)
            _ = try ServerFixture.call(port, "GET", "/l/AAAAAAAAAAAAAAAAAAAAAA")

            let mobile = try ServerFixture.unify(port, token)
            travelling = mobile.member("correlationId")
            let bearer = [Self.json, "Authorization: Bearer \(mobile.member("authToken"))"]
            _ = try ServerFixture.call(port, "POST", session, bearer, body: #"{"platform":"ios","cellular":"yes"}"#)
            let begun = try ServerFixture.call(port, "POST", session + "/mobile-auth", bearer, body: "{}")
            let url = begun.member("authUrl")
            let hop = try #require(url.firstRange(of: "/ma/v1/go/"))
            _ = try ServerFixture.call(port, "GET", String(url[hop.lowerBound...]))
        }
        let known = ["client": "sandbox", "correlationId": id]
        #expect(try Self.members(lines, "/l/{linkToken}", 200) == known)
        #expect(try Self.members(lines, "/l/{linkToken}", 404) == [:])
        #expect(
            try Self.members(lines, "/ma/v1/go/{attemptId}", 302)
                == ["client": "sandbox", "correlationId": travelling])
    }

    @Test func `names them for a page that drives its own run`() async throws {
        let lines = try await Self.lines(["HOLDFAST_APP_CLIENT_ID": "sandbox"]) { port in
            let flow = try ServerFixture.call(
                port, "POST", "/initialize", [Self.json],
                body: #"{"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}"#
            ).member("flowToken")
            _ = try ServerFixture.call(
                port, "POST", "/verify", [Self.json, "Authorization: Bearer \(flow)"], body: "{}")
            _ = try ServerFixture.call(port, "POST", "/verify", [Self.json, "Authorization: Bearer x"], body: "{}")
        }
        let id = try #require(try Self.members(lines, "/initialize", 200)["correlationId"])
        #expect(try Self.members(lines, "/verify", 200) == ["client": "sandbox", "correlationId": id])
        #expect(try Self.members(lines, "/verify", 401) == ["client": "sandbox", "error": "8002"])
    }

    @Test func `names the caller's address where a trusted proxy tells it, and nothing that is no address`()
        async throws
    {
        let lines = try await Self.lines(["HOLDFAST_SERVER_TRUSTED_PROXIES": "127.0.0.1"]) { port in
            _ = try ServerFixture.call(port, "GET", "/healthz", ["X-Forwarded-For: 203.0.113.9"])
            _ = try ServerFixture.call(port, "GET", "/nothing", ["X-Forwarded-For: 198.51.100.7, 203.0.113.9"])
            _ = try ServerFixture.call(port, "GET", "/.well-known/jwks.json", [#"X-Forwarded-For: "},\u0022: evil"#])
        }
        #expect(try Self.members(lines, "/healthz", 200) == ["address": "203.0.113.9"])
        #expect(try Self.members(lines, "none", 404) == ["address": "203.0.113.9", "error": "8001"])
        #expect(try Self.members(lines, "/.well-known/jwks.json", 200) == [:])
    }

    @Test func `believes no address that the caller names itself`() async throws {
        let lines = try await Self.lines { port in
            _ = try ServerFixture.call(port, "GET", "/healthz", ["X-Forwarded-For: 203.0.113.9"])
        }
        #expect(try Self.members(lines, "/healthz", 200) == [:])
    }
}
