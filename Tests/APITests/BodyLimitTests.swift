import HTTPServer
import Testing

@testable import API

/// Every call refuses a body that it does not take before the body is there (HTTP-21).
@Suite struct BodyLimitTests {
    @Test func `every route has a body limit of its own`() async throws {
        let world = try await World()
        var batches: Set<String> = []
        for route in world.client.routes {
            switch route.method {
            case .post:
                if let most = route.body.maxBytes {
                    #expect(most == RequestBody.maxBytes, "\(route.pattern)")
                } else {
                    batches.insert(route.pattern)
                }
            default: #expect(route.body.maxBytes == 0, "\(route.method.text) \(route.pattern)")
            }
        }
        #expect(batches == ["/v3/verify/batch", "/v3/identity/batch"])
    }

    private static let json = (name: "Content-Type", value: "application/json")

    @Test(arguments: [
        ("/v3/unify", 100, false, 401), ("/v3/unify", 100, true, 0), ("/v3/unify", 4096, true, 0),
        ("/v3/unify", 4097, true, 400), ("/v3/unify", 4097, false, 401), ("/v3/verify/batch", 1_000_000, true, 0),
        ("/v3/verify/batch", 1_000_000, false, 401), ("/client/v1/session", 100, false, 401),
        ("/token", 100, false, 415), ("/initialize", 4097, false, 400), ("/initialize", 4096, false, 0),
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
