import HTTPServer
import Engine
import Possession
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing
import Text

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Callers that may have codes sent.
@Suite(.timeLimit(.minutes(60))) struct HookGateTests {
    @Test func `a signature that is not right is refused`() async throws {
        let hooks = try await HookWorld()
        let body = HookWorld.supabaseBody()
        let refused = [
            await hooks.supabase(body, by: [[1]]), await hooks.supabase(body, by: []),
            await hooks.supabase(body, by: [hooks.secret("sandbox-2")]), await hooks.supabase(body, age: 301),
            await hooks.supabase(body, age: -301), await hooks.supabase(body, id: ""),
            await hooks.supabase(body, id: String(repeating: "a", count: 257)),
            await hooks.supabase(body, sent: HookWorld.supabaseBody("654321")),
            await hooks.supabase(body, as: "nobody"),
            await hooks.client.send(World.request(.post, "/hooks/supabase/sandbox", body)),
            await hooks.client.send(World.request(.post, "/hooks/supabase/sandbox", body, [hooks.basic()])),
        ]
        for (index, answer) in refused.enumerated() {
            #expect(answer.status == 401 && answer.hookError == 401, "\(index)")
        }
        #expect(hooks.codes.isEmpty)
        #expect(await hooks.supabase(body, age: 300).status == 200)
    }

    @Test func `a body comes only behind a signature that could be one of now`() async throws {
        let hooks = try await HookWorld()
        let now = hooks.world.clock.now().seconds
        let code = "v1," + Base64.encode([UInt8](repeating: 7, count: 32))
        func refusal(id: String = "m", time: String, signature: String) -> Int? {
            hooks.client.answerToHead(
                World.request(
                    .post, "/hooks/supabase/sandbox", "",
                    [("webhook-id", id), ("webhook-timestamp", time), ("webhook-signature", signature)]))?.status
        }
        #expect(refusal(time: "\(now)", signature: code) == nil)
        #expect(refusal(time: "\(now - 300)", signature: "v1a,AAAA \(code)") == nil)
        for signature in ["", "v1,", "v1,AAAA", "v1a,AAAA", "sha256=00", code.replacing("v1,", with: "")] {
            #expect(refusal(time: "\(now)", signature: signature) == 401, "\(signature)")
        }
        #expect(refusal(time: "\(now - 301)", signature: code) == 401)
        #expect(refusal(time: "soon", signature: code) == 401)
        #expect(refusal(id: "", time: "\(now)", signature: code) == 401)
        let large = World.request(
            .post, "/hooks/zitadel", "", [hooks.basic(), ("content-length", "16385")])
        #expect(hooks.client.answerToHead(large)?.status == 413)
    }

    @Test func `a sender with two secrets is let in by either`() async throws {
        let hooks = try await HookWorld()
        #expect(await hooks.supabase(HookWorld.supabaseBody(), by: [[1], hooks.secret()]).status == 200)
        #expect(await hooks.supabase(HookWorld.supabaseBody(), by: [hooks.secret(), [1]]).status == 200)
        let five = [[1], [2], [3], [4], hooks.secret()]
        #expect(await hooks.supabase(HookWorld.supabaseBody(), by: five).status == 401, "the first four are looked at")
    }

    @Test func `a hook secret that is not right is refused, and so is the client's own secret`() async throws {
        let hooks = try await HookWorld()
        let refused: [[(name: String, value: String)]] = [
            [], [hooks.basic(), hooks.basic()], [World.bearer()], [("Authorization", "Basic !")],
            [hooks.basic("sandbox", [1])], [hooks.basic("sandbox", [])],
            [hooks.basic("sandbox", hooks.secret("sandbox-2"))], [hooks.basic("nobody", hooks.secret())],
            [("Authorization", "Basic c2FuZGJveDpzYW5kYm94LXNlY3JldA==")],
        ]
        for headers in refused { #expect(await hooks.kratos("123456", headers).status == 401, "\(headers)") }
        #expect(hooks.codes.isEmpty)
        let head = World.request(.post, "/hooks/kratos", "")
        #expect(hooks.client.answerToHead(head)?.status == 401, "before the body has come")
    }

    @Test func `a hook secret has letters and digits, and is taken in its older spelling too`() async throws {
        let hooks = try await HookWorld()
        let secret = HookSecret(hooks.secret())
        #expect(secret.text.utf8.count == 44 && secret.text.utf8.allSatisfy { $0.isLetterOrDigit })
        #expect(secret.signing == "v1,whsec_" + secret.text)
        let older = hooks.world.engine.crypto.keyed.text(hooks.secret())
        #expect(await hooks.kratos("111111", [hooks.basic(shown: older)]).status == 200)
        #expect(await hooks.supabase(HookWorld.supabaseBody("222222"), keys: [hooks.secret()]).status == 200)
        for wrong in ["", String(secret.text.dropLast()), secret.text + "A", older + "A"] {
            #expect(await hooks.kratos("333333", [hooks.basic(shown: wrong)]).status == 401)
        }
        #expect(hooks.codes == ["111111", "222222"])
    }

    @Test func `a new secret of the client makes a new hook secret, and both are valid for a while`() async throws {
        let hooks = try await HookWorld()
        let id = ClientID("sandbox")!
        let (old, new) = (hooks.secret(), hooks.secret("sandbox", of: "secret-2"))
        #expect(await hooks.kratos("111111", [hooks.basic("sandbox", new)]).status == 401)
        let end = hooks.world.clock.now().adding(.seconds(3600))
        let digest = hooks.world.engine.crypto.keyed.secret("secret-2", id)
        _ = try await hooks.world.store.updateTenant(id) { $0.replaceSecret(with: digest, keepingOldUntil: end) }
        #expect(await hooks.kratos("111111", [hooks.basic("sandbox", old)]).status == 200)
        #expect(await hooks.kratos("222222", [hooks.basic("sandbox", new)]).status == 200)
        _ = hooks.world.clock.advance(seconds: 3600)
        #expect(await hooks.kratos("333333", [hooks.basic("sandbox", old)]).status == 401)
        #expect(await hooks.kratos("333333", [hooks.basic("sandbox", new)]).status == 200)
        _ = try await hooks.world.store.revokeTenant(id, at: hooks.world.clock.now())
        #expect(await hooks.kratos("444444", [hooks.basic("sandbox", new)]).status == 401)
    }

    @Test func `failures and calls of an API client are limited`() async throws {
        var options = World.Options()
        options.platform.limitsFailedTokenCalls = true
        options.platform.requestsPerSecond = 2
        let hooks = try await HookWorld(options)
        for _ in 0..<2 { #expect(await hooks.kratos().status == 200) }
        #expect(await hooks.kratos().status == 429)
        for _ in 0..<20 { _ = await hooks.kratos("123456", [hooks.basic("sandbox-2", [1])]) }
        #expect(await hooks.kratos("123456", [hooks.basic("sandbox-2", [1])]).status == 429)
    }
}
