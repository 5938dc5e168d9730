import HTTPServer
import StrictJSON
import Testing

@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// Every call refuses a body that it does not take before the body is there (HTTP-21).
@Suite struct BodyLimitTests {
    @Test func `every route has a body limit of its own`() async throws {
        let world = try await World()
        var larger: [String: Int?] = [:]
        for route in world.client.routes {
            switch route.method {
            case .post:
                let most = route.body.maxBytes
                if most != 4096 && most != 16_384 { larger.updateValue(most, forKey: route.pattern) }
            default: #expect(route.body.maxBytes == 0, "\(route.method.text) \(route.pattern)")
            }
        }
        #expect(
            larger == [
                "/v3/verify/batch": nil, "/v3/identity/batch": nil, "/v3/verify": 262_144, "/v3/identity": 262_144,
                "/v3/identity/": 262_144, "/v3/complete": 262_144,
                "/sandbox/webhooks/receiver": 65_536,
            ])
    }

    @Test func `the description names the limit of every route`() async throws {
        let world = try await World()
        let bounds = Dictionary(
            APIDescription.operations(isSandbox: true).map { ("\($0.method.text) \($0.path)", $0.bound) },
            uniquingKeysWith: { first, _ in first })
        for route in world.client.routes where route.method == .post {
            let bound = try #require(bounds["POST \(route.pattern)"] ?? nil, "\(route.pattern)")
            #expect(bound.bytes == route.body.maxBytes, "\(route.pattern)")
        }
        let operation = OpenAPIAnswers.operation(.post, "/v3/unify")
        #expect(operation?["description"]?.string?.hasSuffix("The body has at most 4096 characters.") == true)
    }

    /// The longest texts that the description allows, each character as an escape of 6 or 12 bytes.
    @Test(arguments: [#"\u00e9"#, #"\ud83d\ude00"#, "\u{1F600}"])
    func `no valid request is too large`(character: String) async throws {
        let world = try await World()
        func text(_ count: Int) -> String { String(repeating: character, count: count) }
        let references = ["clientRequestId", "clientCustomerId", "clientHumanId"].map { name in
            "\"\(name)\":\"\(text(256))\""
        }
        let unify =
            #"{"possessionType":"mobile","phoneNumber":"2001004014","smsMessage":"Code ####\#(text(151))","#
            + references.joined(separator: ",") + "}"
        #expect(await world.post("/v3/unify", unify).status == 200)
        let attributes = (0..<20).map { index in
            #"{"attributeType":"\#(text(62))\#(index + 10)","attributeValue":"\#(text(256))"}"#
        }
        let listed = #""identityAttributes":[\#(attributes.joined(separator: ","))]"#
        let enrolment = #"{"phoneNumber":"2001004014",\#(listed),\#(references.joined(separator: ","))}"#
        #expect(await world.post("/v3/identity", enrolment).status == 200)
        let verification =
            #"{"phoneNumber":"2001004014","verificationType":"humanAssurance","userAgent":"\#(text(512))",\#(listed),"#
            + references.joined(separator: ",") + "}"
        #expect(await world.post("/v3/verify", verification).status == 200)
        let lines = ["address", "extendedAddress", "city", "region", "postalCode"].map { "\"\($0)\":\"\(text(256))\"" }
        let addresses = Array(repeating: "{\(lines.joined(separator: ","))}", count: 10).joined(separator: ",")
        let emails = Array(repeating: "\"\(text(256))\"", count: 10).joined(separator: ",")
        let individual = #"{"ssn":"6227","addresses":[\#(addresses)],"emailAddresses":[\#(emails)]}"#
        let complete = #"{"correlationId":"019b7907-8d58-7500-8000-000000000001","individual":\#(individual)}"#
        #expect(await world.post("/v3/complete", complete).json["code"] == 8008, "which is told after size and fields")
        for body in [unify, enrolment, verification] { #expect(body.utf8.count > 4096 || character.utf8.count < 5) }
    }

    @Test func `counts an escape as the character that it stands for`() {
        func fits(_ text: String) -> Bool { BodyBound.session.admits(Array(text.utf8)) }
        let long = String(repeating: "a", count: 4095)
        for (text, isIn) in [
            (long + "b", true), (long + "bc", false), (long + #"\n"#, true), (long + #"\n\n"#, false),
            (long + #"\u00e9"#, true), (long + #"\u00e9\u00e9"#, false), (long + #"\\u0"#, false),
            (long + "\u{1F600}", true), (long + "\u{1F600}\u{E9}", false), (long + #"\"#, true), (long + #"\u"#, true),
        ] { #expect(fits(text) == isIn, "\(text.suffix(14))") }
        #expect(!fits(String(repeating: #"\u00e9"#, count: 2731)))
    }

    private static let json = (name: "Content-Type", value: "application/json")

    @Test(arguments: [
        ("/v3/unify", 100, false, 401), ("/v3/unify", 100, true, 0), ("/v3/unify", 16_384, true, 0),
        ("/v3/unify", 16_385, true, 400), ("/v3/unify", 16_385, false, 401), ("/v3/verify", 262_144, true, 0),
        ("/v3/verify", 262_145, true, 413), ("/token", 4097, false, 415), ("/v3/verify/batch", 1_000_000, true, 0),
        ("/v3/verify/batch", 1_000_000, false, 401), ("/client/v1/session", 100, false, 401),
        ("/token", 100, false, 415), ("/initialize", 16_385, false, 400), ("/initialize", 16_384, false, 0),
    ])
    func `answers from the head, without the body`(
        path: String, length: Int, hasToken: Bool, status: Int
    ) async throws {
        let world = try await World()
        let length = (name: "Content-Length", value: String(length))
        let headers = Headers([Self.json, length] + (hasToken ? [World.bearer()] : []))
        let request = Request(method: .post, path: path, headers: headers, id: "r")
        #expect((world.client.answerToHead(request)?.status ?? 0) == status)
    }

    @Test func `looks only at the form of a client's credentials while its body is on the way`() async throws {
        let world = try await World()
        let type = [Self.json, (name: "Content-Length", value: "10")]
        for (headers, status) in [
            (type + [("Authorization", "DPoP x"), ("DPoP", "y")], 0), (type + [("Authorization", "DPoP x")], 401),
            (type + [("Authorization", "Basic x")], 401),
            (type + [("Authorization", "DPoP x"), ("DPoP", "y"), ("Expect", "100-continue")], 401),
            ([("Content-Type", "text/plain"), type[1], ("Authorization", "DPoP x"), ("DPoP", "y")], 415),
        ] {
            let request = Request(method: .post, path: "/client/v1/session", headers: Headers(headers), id: "r")
            #expect((world.client.answerToHead(request)?.status ?? 0) == status)
        }
    }
}
