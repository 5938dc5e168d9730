import HTTPServer
import Locks
import Possession
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// API keys and SDK keys: who gets in, and what wrong ones cost whom.
@Suite(.timeLimit(.minutes(60))) struct PreludeKeyTests {
    private func history(_ prelude: PreludeWorld, _ key: String) async -> Response {
        await prelude.client.send(
            World.request(
                .get, "/prelude/v2/verification/phone/history", "", [("Authorization", "Bearer " + key)],
                contentType: nil))
    }

    @Test func `wrong keys slow down wrong keys only`() async throws {
        var options = World.Options()
        options.platform.limitsFailedTokenCalls = true
        let prelude = try await PreludeWorld(options)
        for number in 0..<20 { #expect(await history(prelude, "hf_test_guess\(number)").status == 401) }
        let limited = await history(prelude, "hf_test_guess")
        #expect(limited.status == 429 && limited.header("Retry-After") == "600")
        #expect(await history(prelude, "hf_test_sandbox").status == 200, "a right key always gets in")
        #expect(prelude.world.hits.withLock { $0 } == [.failedTokenCalls])
    }

    @Test func `a key that was revoked lets nobody in`() async throws {
        let prelude = try await PreludeWorld()
        let client = try #require(ClientID("sandbox"))
        #expect(await history(prelude, "hf_test_sandbox").status == 200)
        #expect(await prelude.signal(.post).status == 204)
        for key in try await prelude.world.apiKeys.keys(of: client) {
            _ = try await prelude.world.apiKeys.removeKey(key.id)
        }
        #expect(await history(prelude, "hf_test_sandbox").status == 401)
        #expect(await prelude.signal(.post).status == 401)
        #expect(await history(prelude, "hf_test_sandbox-2").status == 200)
    }

    @Test func `no key of a revoked client lets in`() async throws {
        let prelude = try await PreludeWorld()
        let client = try #require(ClientID("sandbox"))
        _ = try await prelude.world.store.revokeTenant(client, at: prelude.world.clock.now())
        #expect(await history(prelude, "hf_test_sandbox").status == 401)
        #expect(await prelude.signal(.post).status == 401)
    }

    @Test func `a key of the longest form and beyond is a wrong one`() async throws {
        let prelude = try await PreludeWorld()
        for count in [0, 1, 247, 248, 249, 4000] {
            #expect(await history(prelude, "hf_test_" + String(repeating: "x", count: count)).status == 401)
        }
    }
}
