import Sandbox
import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Possession
import StrictJSON
import Testing

@testable import SurfaceTestSupport

/// Sandbox users are for API clients of their product (contract section 8).
@Suite struct ProductTests {
    private static func world(_ products: Set<SandboxProduct>) async throws -> World {
        var options = World.Options()
        options.products = [ClientID("sandbox-2")!: products]
        return try await World(options)
    }

    @Test(arguments: [
        ("/v3/unify", #"{"possessionType":"mobile","phoneNumber":"2001004014"}"#, SandboxProduct.unify),
        ("/v3/start", #"{"flowType":"mobile","phoneNumber":"2001001693"}"#, .prefill),
        ("/v3/start", #"{"flowType":"mobile","phoneNumber":"2001004009"}"#, .identity),
        ("/v3/verify", #"{"verificationType":"humanAssurance","phoneNumber":"2001004014"}"#, .unify),
        ("/v3/identity", #"{"phoneNumber":"2001004014"}"#, .unify),
    ])
    func `a user of another product is refused`(path: String, body: String, product: SandboxProduct) async throws {
        let others = Set(SandboxProduct.allCases).subtracting([product])
        let refused = try await Self.world(others)
        let answer = await refused.post(path, body, as: "sandbox-2")
        #expect(answer.status == 403, "\(answer.text)")
        #expect(answer.json["code"]?.integer == 8009)
        #expect(await refused.post(path, body).status == 200)
        let allowed = try await Self.world([product])
        #expect(await allowed.post(path, body, as: "sandbox-2").status == 200)
    }
}
