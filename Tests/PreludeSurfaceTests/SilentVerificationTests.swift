import HTTPServer
import Engine
import Possession
import PreludeSurface
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

@Suite(.timeLimit(.minutes(60))) struct PreludeSilentTests {
    private static let dispatched = #","dispatch_id":"\#(PreludeWorld.dispatch)""#

    /// A silent verification whose chain has not begun.
    private func offered(_ prelude: PreludeWorld) async throws -> String {
        await prelude.signals()
        let answer = await prelude.create(PreludeWorld.lorant, Self.dispatched).json
        #expect(answer["method"]?.string == "silent" && answer["channels"] == .array([.string("silent")]))
        return try #require(answer["silent"]?.object?["request_url"]?.string)
    }

    @Test func `signals come under an endpoint that ends with a slash, too`() async throws {
        let prelude = try await PreludeWorld()
        for method in [Method.post, .options] {
            let answer = await prelude.signal(method, path: "/prelude//v1/signals")
            #expect(answer.status == 204)
        }
        let created = await prelude.create(PreludeWorld.lorant, Self.dispatched).json
        #expect(created["method"]?.string == "silent")
    }

    @Test func `a phone that proves itself brings a code that passes once`() async throws {
        let prelude = try await PreludeWorld()
        prelude.world.carrier.answer(.success(.verified(true)))
        let end = try await prelude.follow(try await offered(prelude))
        #expect(end.hasPrefix(World.publicURL + "/prelude/silent/end?vfp="))
        let code = try #require(await prelude.hop(end).json["code"]?.string)
        #expect(await prelude.hop(end).json["code"]?.string == code, "a repeat gives the same code")
        #expect(code.utf8.count == 6 && code.utf8.allSatisfy { (48...57).contains($0) })
        #expect(prelude.codes.isEmpty)
        #expect(await prelude.checked(code) == "success")
        #expect(await prelude.checked(code) == "expired_or_not_found")
        #expect(await prelude.hop(end).json["reason"]?.string == "gone")
    }

    /// A chain that has ended well: its last address, which the phone has not opened yet.
    private func arrived(_ prelude: PreludeWorld, _ more: String = "") async throws -> String {
        prelude.world.carrier.answer(.success(.verified(true)))
        await prelude.signals()
        let answer = await prelude.create(PreludeWorld.lorant, Self.dispatched + more).json
        return try await prelude.follow(try #require(answer["silent"]?.object?["request_url"]?.string))
    }

    private func silentCode(_ prelude: PreludeWorld, at end: String) async throws -> String {
        try #require(await prelude.hop(end).json["code"]?.string)
    }

    @Test(arguments: [4, 6, 8]) func `the code has the window's size`(size: Int) async throws {
        let prelude = try await PreludeWorld()
        let end = try await arrived(prelude, #","options":{"code_size":\#(size)}"#)
        let silent = try await silentCode(prelude, at: end)
        #expect(silent.utf8.count == size)
        #expect(await prelude.checked(silent) == "success")
        let number = try #require(PhoneNumber(e164: PreludeWorld.lorant))
        let fence = SessionFence(ClientID("sandbox")!, .prelude)
        let proof = try await prelude.world.store.session(.target(.number(number)), in: fence)?.proof
        #expect(proof?.method == .mobileAuth)
    }

    @Test func `no code passes before the phone has opened the last address`() async throws {
        let prelude = try await PreludeWorld()
        let end = try await arrived(prelude)
        let vfp = try #require(end.split(separator: "=").last.map(String.init))
        let tokens = prelude.world.engine.crypto.mobileAuthTokens
        let fingerprint = try #require(tokens.fingerprint(in: vfp))
        let silent = tokens.code(of: fingerprint.attempt, fingerprint.result, length: 6).text
        for _ in 0..<6 { #expect(await prelude.checked(silent) == "failure", "and costs no check") }
        #expect(try await silentCode(prelude, at: end) == silent)
        #expect(await prelude.checked(silent) == "success")
    }

    @Test func `wrong codes use up the window's checks, and those of another size none`() async throws {
        let prelude = try await PreludeWorld()
        let silent = try await silentCode(prelude, at: try await arrived(prelude))
        let wrong = silent == "000000" ? "111111" : "000000"
        for odd in ["1234", "12345678"] {
            let answer = await prelude.check(odd)
            #expect(answer.status == 400 && code(of: answer) == "impossible_code")
        }
        for _ in 0..<5 { #expect(await prelude.checked(wrong) == "failure") }
        #expect(code(of: await prelude.check(silent)) == "too_many_checks")
    }

    @Test func `a sandbox user's fixed code is none of the chain's`() async throws {
        let prelude = try await PreludeWorld()
        let silent = try await silentCode(prelude, at: try await arrived(prelude))
        #expect(silent != "123456")
        #expect(await prelude.checked("123456") == "failure")
        #expect(await prelude.checked(silent) == "success")
    }

    @Test func `the code is good for a minute, and then a message follows`() async throws {
        let prelude = try await PreludeWorld()
        let end = try await arrived(prelude)
        let silent = try await silentCode(prelude, at: end)
        _ = prelude.world.clock.advance(seconds: 60)
        for _ in 0..<2 { #expect(await prelude.checked(silent) == "expired_or_not_found") }
        #expect(await prelude.hop(end).json["reason"]?.string == "gone")
        #expect(await prelude.create(PreludeWorld.lorant, Self.dispatched).json["method"]?.string == "message")
        #expect(await prelude.checked("123456") == "success")
    }

    @Test func `of sixteen racing right codes one passes`() async throws {
        let prelude = try await PreludeWorld()
        let silent = try await silentCode(prelude, at: try await arrived(prelude))
        let answers = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<16 { group.addTask { await prelude.checked(silent) } }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(answers.count { $0 == "success" } == 1 && answers.count { $0 == "expired_or_not_found" } == 15)
    }

    @Test func `a phone that did not hear the first answer asks again, from where it is`() async throws {
        let prelude = try await PreludeWorld()
        let url = try await offered(prelude)
        let first = await prelude.hop(url)
        #expect(await prelude.hop(url).header("location") == first.header("location"))
        #expect(await prelude.hop(url, from: MobileAuthWalk.otherPhone).json["reason"]?.string == "gone")
        #expect(await prelude.hop(url + "x").status == 302, "the first hop has been made; the ticket is used up")
    }

    @Test func `a chain with another ticket leads nowhere`() async throws {
        let prelude = try await PreludeWorld()
        let url = try await offered(prelude)
        #expect(await prelude.hop(url + "x").json["reason"]?.string == "gone")
        #expect(await prelude.hop(url.replacing("?t=", with: "?u=")).status == 400)
        #expect(await prelude.hop("\(World.publicURL)/prelude/silent/xyz?t=1").json["status"]?.string == "failed")
    }

    @Test func `another number's connection gives no code, and the next call sends a message`() async throws {
        let prelude = try await PreludeWorld()
        prelude.world.carrier.answer(.success(.verified(false)))
        let end = try await prelude.follow(try await offered(prelude))
        let answer = await prelude.hop(end)
        #expect(answer.status == 200 && answer.json["reason"]?.string == "mismatch")
        let again = await prelude.create(PreludeWorld.lorant, Self.dispatched).json
        #expect(again["status"]?.string == "retry" && again["method"]?.string == "message")
        #expect(await prelude.checked("123456") == "success")
    }

    @Test func `an operator that does not answer ends the chain`() async throws {
        let prelude = try await PreludeWorld()
        let end = try await prelude.follow(try await offered(prelude))
        #expect(end.hasSuffix("?error=mobile_auth_unavailable"))
        #expect(await prelude.hop(end).json["reason"]?.string == "unavailable")
    }

    @Test func `the code of a chain is void after the fallback`() async throws {
        let prelude = try await PreludeWorld()
        prelude.world.carrier.answer(.success(.verified(true)))
        let end = try await prelude.follow(try await offered(prelude))
        let silent = try #require(await prelude.hop(end).json["code"]?.string)
        _ = await prelude.create(PreludeWorld.lorant, Self.dispatched)
        #expect(await prelude.checked(silent) == "failure")
        #expect(await prelude.checked("123456") == "success")
    }

    @Test func `sends a message without a dispatch that came over cellular within the hour`() async throws {
        for signals in [
            { _ in }, { _ = await $0.signal(.options, features: "2") },
            { _ = await $0.signal(.options, features: nil) }, { _ = await $0.signal(.options, key: "sdk_sandbox-2") },
            { prelude in
                await prelude.signals()
                _ = prelude.world.clock.advance(seconds: 3600)
            },
        ] as [@Sendable (PreludeWorld) async -> Void] {
            let prelude = try await PreludeWorld()
            await signals(prelude)
            #expect(await prelude.create(PreludeWorld.lorant, Self.dispatched).json["method"]?.string == "message")
        }
        let prelude = try await PreludeWorld()
        await prelude.signals()
        let message = await prelude.create(
            PreludeWorld.lorant, Self.dispatched + #","options":{"method":"message"}"#)
        #expect(message.json["method"]?.string == "message")
    }

    /// The calls of the vendor's SDK in each state of the phone's networks, and whether an operator serves the POST's address.
    @Test(arguments: [
        ([Method.post], true, "silent"), ([.post], false, "message"), ([.options], false, "silent"),
        ([.post, .options], false, "silent"), ([.options, .post], true, "silent"),
    ]) func `a phone with mobile data is offered the chain`(
        methods: [Method], isOnOperator: Bool, expected: String
    ) async throws {
        let prelude = try await PreludeWorld()
        prelude.world.carrier.serve(isOnOperator)
        for method in methods { _ = await prelude.signal(method) }
        prelude.world.carrier.serve(true)
        #expect(await prelude.create(PreludeWorld.lorant, Self.dispatched).json["method"]?.string == expected)
    }

    @Test func `sends a message for an API client without Mobile Auth`() async throws {
        var options = World.Options()
        options.rules.mobileAuth = false
        let prelude = try await PreludeWorld(options)
        await prelude.signals()
        #expect(await prelude.create(PreludeWorld.lorant, Self.dispatched).json["method"]?.string == "message")
    }

    @Test func `notes a phone by POST and OPTIONS, and knows a preflight`() async throws {
        let prelude = try await PreludeWorld()
        #expect(await prelude.signal(.post, body: [1, 2, 3]).status == 204)
        #expect(await prelude.signal(.options).status == 204)
        for (key, dispatch) in [
            ("sdk_nobody", PreludeWorld.dispatch), ("hf_test_sandbox", PreludeWorld.dispatch),
            ("sdk_sandbox", "no-uuid"),
        ] {
            let answer = await prelude.signal(.post, key: key, dispatch: dispatch)
            #expect(answer.status == (dispatch == PreludeWorld.dispatch ? 401 : 400))
        }
        let page = [
            (name: "Origin", value: "https://app.example"), (name: "Access-Control-Request-Method", value: "POST"),
        ]
        let preflight = await prelude.client.send(
            Request(method: .options, path: "/prelude/v1/signals", headers: Headers(page), id: "p"))
        #expect(preflight.status == 204)
        #expect(preflight.header("access-control-allow-origin") == "https://app.example")
        let stranger = [(name: "Origin", value: "https://evil.example")]
        #expect(await prelude.signal(.post, more: stranger).status == 403)
    }
}
