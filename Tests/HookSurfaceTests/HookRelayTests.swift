import HTTPServer
import Locks
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Messages that are sent, and how often.
@Suite(.timeLimit(.minutes(60))) struct HookRelayTests {
    @Test func `each of the three servers has its code sent as it is`() async throws {
        let hooks = try await HookWorld()
        #expect(await hooks.supabase(HookWorld.supabaseBody("111111")).status == 200)
        #expect(await hooks.zitadel(HookWorld.zitadelBody(#""code":"222222""#)).status == 200)
        let oneTime = await hooks.zitadel(HookWorld.zitadelBody(#""oTP":"33333333","expiry":300"#))
        #expect(oneTime.status == 200, "\(oneTime.text)")
        let last = await hooks.kratos("4444")
        #expect(last.status == 200 && last.json == JSONObject())
        #expect(hooks.codes == ["111111", "222222", "33333333", "4444"])
        #expect(hooks.world.gateway.sent.allSatisfy { $0.to.text == HookWorld.number && $0.channel == .sms })
    }

    @Test func `a message of Kratos that has no code is taken, and goes nowhere`() async throws {
        let hooks = try await HookWorld()
        func post(_ body: String) async -> Response {
            await hooks.client.send(World.request(.post, "/hooks/kratos", body, [hooks.basic()]))
        }
        let taken = await post(#"{"to":"+12065550123","send":false}"#)
        #expect(taken.status == 200 && taken.json == JSONObject() && hooks.codes.isEmpty)
        #expect(await post(#"{"to":"+12065550123","send":true}"#).status == 400)
        #expect(await post(#"{"to":"+12065550123","code":"123456","send":true}"#).status == 200)
        #expect(hooks.codes == ["123456"])
    }

    @Test func `a call that is repeated sends one message, under another id as well`() async throws {
        let hooks = try await HookWorld()
        for id in ["a", "b", "c"] {
            #expect(await hooks.supabase(HookWorld.supabaseBody(), id: id).json == JSONObject())
        }
        #expect(await hooks.kratos("654321").status == 200)
        // A late repetition of the code before.
        #expect(await hooks.supabase(HookWorld.supabaseBody(), id: "d").status == 200)
        #expect(hooks.codes == ["123456", "654321"])
        _ = hooks.world.clock.advance(seconds: 600)
        #expect(await hooks.supabase(HookWorld.supabaseBody(), id: "e").status == 200)
        #expect(hooks.codes == ["123456", "654321", "123456"], "after its time it is another code")
    }

    @Test func `many calls at once send one message`() async throws {
        let hooks = try await HookWorld()
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<12 { group.addTask { await hooks.kratos().status } }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 200 } && hooks.codes == ["123456"])
    }

    @Test func `a message that no gateway took is sent by the next call`() async throws {
        let hooks = try await HookWorld()
        hooks.world.gateway.refuse(true)
        let refused = await hooks.kratos()
        #expect(refused.status == 503 && refused.hookError == 503 && refused.header("Retry-After") == "1")
        let told = await hooks.supabase(HookWorld.supabaseBody())
        #expect(told.status == 200 && told.hookError == 503 && told.header("Retry-After") == nil)
        hooks.world.gateway.refuse(false)
        #expect(await hooks.kratos().status == 200)
        #expect(hooks.codes == ["123456"])
    }

    @Test func `each API client has its own messages to a number`() async throws {
        let hooks = try await HookWorld()
        #expect(await hooks.kratos().status == 200)
        #expect(await hooks.kratos("123456", [hooks.basic("sandbox-2")]).status == 200)
        #expect(hooks.codes.count == 2)
        #expect(Set(hooks.world.gateway.sent.compactMap { $0.tenant?.text }) == ["sandbox", "sandbox-2"])
    }

    @Test func `a user of the sandbox gets the caller's code, not the one of the sandbox`() async throws {
        let hooks = try await HookWorld()
        #expect(await hooks.kratos("777777", to: "+12001004014").status == 200)
        #expect(hooks.codes == ["777777"])
    }

    @Test func `a test number is sent nothing`() async throws {
        let hooks = try await HookWorld()
        let now = hooks.world.clock.now()
        let entry = TestNumber(
            number: PhoneNumber(e164: HookWorld.number)!, code: OTP("999999")!, tenant: nil, createdAt: now,
            endsAt: now.adding(.seconds(3600)))
        hooks.world.testNumbers.withLock { $0 = [entry] }
        #expect(await hooks.kratos().status == 200)
        #expect(hooks.codes.isEmpty)
    }

    @Test func `a country that is not open is refused`() async throws {
        let hooks = try await HookWorld { $0.rules.callingCodes = ["44"] }
        let refused = await hooks.kratos()
        #expect(refused.status == 403 && hooks.codes.isEmpty)
        let told = await hooks.supabase(HookWorld.supabaseBody())
        #expect(told.status == 200 && told.hookError == 403)
    }

    @Test func `the limits of a number hold over repeated codes and new ones`() async throws {
        let hooks = try await HookWorld(World.limited { $0.secondsBetweenSends = 30 })
        #expect(await hooks.kratos("111111").status == 200)
        #expect(await hooks.kratos("111111").status == 200, "repeated: nothing is sent")
        let early = await hooks.kratos("222222")
        #expect(early.status == 429 && early.hookError == 429 && early.header("Retry-After") != nil)
        #expect(!early.hookMessage.contains("2065550123"))
        let told = await hooks.supabase(HookWorld.supabaseBody("333333"))
        #expect(told.status == 200 && told.hookError == 429)
        #expect(hooks.codes == ["111111"])
    }

    @Test func `messages that nobody answers here close no prefix, and a closed one gets none`() async throws {
        let options = World.limited { $0.sizes = BucketSizes(address: 0, network: 0, prefix: 3, country: 0) }
        let hooks = try await HookWorld(options)
        for index in 0..<18 { #expect(await hooks.kratos("123456", to: "+1206555\(1000 + index)").status == 200) }
        for index in 0..<4 {
            let started = await hooks.world.start(
                #"{"phoneNumber":"+1206555\#(2000 + index)","possessionType":"mobile","clientRequestId":"a"}"#)
            let app = App(hooks.world, started)
            _ = await app.redeem()
            #expect(await app.post("/otp").status == (index < 3 ? 200 : 429))
        }
        #expect(await hooks.kratos("123456", to: "+12065553000").status == 429)
    }

    /// Kratos and Zitadel name no address: all that they send is one network, as on other surfaces.
    @Test func `without an address a prefix has eighteen numbers in an hour`() async throws {
        let hooks = try await HookWorld(World.limited())
        for index in 0..<30 {
            let answer = await hooks.kratos("123456", to: "+1206555\(1000 + index)")
            #expect(answer.status == (index < 18 ? 200 : 429), "\(index): \(answer.text)")
        }
        #expect(await hooks.kratos("654321", to: "+12065551000").status == 200, "it is one of the eighteen")
        #expect(await hooks.kratos("123456", to: "+12065561000").status == 200, "another prefix")
        _ = hooks.world.clock.advance(seconds: 3599)
        #expect(await hooks.kratos("123456", to: "+12065551998").status == 429)
        _ = hooks.world.clock.advance(seconds: 1)
        #expect(await hooks.kratos("123456", to: "+12065551999").status == 200)
    }

    @Test func `the address that a hook names has six numbers, and other addresses have their own`() async throws {
        let hooks = try await HookWorld(World.limited())
        func send(_ index: Int, from address: String = "192.0.2.7", user: String = "") async -> Int64? {
            let number = "12065\(500_000 + index * 10_000)"
            return await hooks.supabase(
                #"{"metadata":{"ip_address":"\#(address)"},"user":{\#(user)},"sms":{"otp":"123456","phone":"\#(number)"}}"#
            ).hookError
        }
        for index in 0..<6 { #expect(await send(index) == nil, "\(index)") }
        #expect(await send(6) == 429)
        #expect(await send(7, from: "198.51.100.7") == nil)
        let known = #""phone":"12065580000","phone_confirmed_at":"2026-01-01T00:00:00Z""#
        #expect(await send(8, user: known) == nil, "the person has proven the number to Supabase Auth")
        #expect(await send(9, user: known) == 429, "and no other number")
        #expect(hooks.world.gateway.sent.count == 8)
    }

    @Test func `an address with a port is the same address`() async throws {
        let hooks = try await HookWorld(World.limited())
        for index in 0..<7 {
            let number = "12065\(500_000 + index * 10_000)"
            let body = #"{"to":"\#(number)","payload":{"code":"123456"},"ip":"192.0.2.7:\#(4000 + index)"}"#
            let answer = await hooks.client.send(
                World.request(.post, "/hooks/logto", body, [hooks.basic()], contentType: "application/json"))
            #expect(answer.status == (index < 6 ? 200 : 429), "\(index): \(answer.text)")
        }
    }

    @Test func `a person who has proven the number since pays for the message before`() async throws {
        let hooks = try await HookWorld(World.limited())
        func send(_ index: Int, _ code: String, confirmed: Bool = false) async -> Int64? {
            let number = "12065\(500_000 + index * 10_000)"
            let user = confirmed ? #""phone":"\#(number)","phone_confirmed_at":"2026-01-01T00:00:00Z""# : ""
            return await hooks.supabase(
                #"{"metadata":{"ip_address":"192.0.2.7"},"user":{\#(user)},"sms":{"otp":"\#(code)","phone":"\#(number)"}}"#
            ).hookError
        }
        for index in 0..<6 { #expect(await send(index, "111111") == nil) }
        #expect(await send(6, "111111") == 429)
        _ = hooks.world.clock.advance(seconds: 180)
        #expect(await send(0, "222222", confirmed: true) == nil)
        #expect(await send(6, "333333") == nil)
    }
}
