import HTTPServer
import Engine
import Possession
import ProveSurfaces
import StrictJSON
import SurfaceKit
import TestSupport
import Testing
import Text
@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Calls of the app SDK: state, configuration, intent, code, status.
@Suite(.timeLimit(.minutes(60))) struct HeadlessTests {
    private static let mobile = #""mobile":"12001004014""#

    private func world(
        _ channels: [OutgoingMessage.Channel] = [.whatsapp, .sms], seconds: Int? = nil,
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool = { _ in true }
    ) async throws -> OtplessWorld {
        try await PlayedApp.world(channels, seconds: seconds, carries: carries)
    }

    private func begun(_ otpless: OtplessWorld, _ more: String = mobile) async throws -> (app: PlayedApp, Response) {
        let app = try await PlayedApp(otpless)
        return (app, await app.intent(more))
    }

    // MARK: Start

    @Test func `an app gets a state of its own each time`() async throws {
        let otpless = try await world()
        let first = try await PlayedApp(otpless)
        let second = try await PlayedApp(otpless)
        #expect(first.state != second.state && first.state.utf8.count < 256)
        let headers = await otpless.get("/v2/state?appId=sandbox").headers
        #expect(headers.contains { $0.name == "Cache-Control" && $0.value == "no-store" })
    }

    @Test(arguments: ["", "?appId=", "?appId=nobody", "?appId=a/b", "?appId=SANDBOX"])
    func `an unknown app gets none`(_ query: String) async throws {
        let answer = try await world().get("/v2/state" + query)
        #expect(answer.status == 401 && answer.errorCode == "401")
    }

    @Test func `a client without an order of channels has no apps, nor has one that is revoked`() async throws {
        let none = try await world([])
        #expect(await none.get("/v2/state?appId=sandbox").errorCode == "401")
        let otpless = try await world()
        let (app, answer) = try await begun(otpless)
        #expect(answer.status == 200)
        _ = try await otpless.world.store.revokeTenant(ClientID("sandbox")!, at: otpless.world.clock.now())
        #expect(await app.status().errorCode == "401")
        #expect(await app.intent(Self.mobile).errorCode == "401")
    }

    @Test func `a state is guessed by nobody, is the client's own, and has no end`() async throws {
        let otpless = try await world()
        let (app, _) = try await begun(otpless)
        var changed = Array(app.state.utf8)
        changed[3] = changed[3] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        for state in [String(decoding: changed, as: UTF8.self), "x", String(app.state.dropLast(1)), app.state + "AA"] {
            let answer = await otpless.get("/v3/lp/user/transaction/status/\(state)")
            #expect(answer.status == 401 && answer.errorCode == "401")
        }
        #expect(await app.status("?appId=sandbox-2").errorCode == "401")
        // The vendor's SDK keeps a state as long as the app is installed, and after an error too.
        _ = otpless.world.clock.advance(seconds: 3 * 365 * 86_400)
        #expect(await app.config().status == 200)
        #expect(await app.status().errorCode == "7114")
        #expect(await app.intent(Self.mobile).status == 200)
        #expect(await app.check(OtplessWorld.right).status == 200)
    }

    @Test func `a state that an older server has made is good again`() async throws {
        let otpless = try await world()
        let keyed = otpless.world.engine.crypto.keyed
        let (app, client) = (try await PlayedApp(otpless), ClientID("sandbox")!)
        // 16 random bytes, and the milliseconds of its time.
        let given = [UInt8](repeating: 7, count: 16) + [0, 0, 1, 0x9B, 0x79, 7, 0x8D, 0x58]
        let old = keyed.text(given + Array("sandbox".utf8) + keyed.appState(given, client))
        #expect(old.utf8.count == app.state.utf8.count)
        #expect(await otpless.get("/v2/lp/merchant/config/\(old)").status == 200)
    }

    @Test func `the configuration tells what the client has`() async throws {
        let app = try await PlayedApp(try await world([.voice, .sms], carries: { $0 != .email }))
        let config = await app.config().json
        #expect(
            config["channelConfig"] == [
                [
                    "identifierType": "MOBILE", "mandatory": true, "verified": true,
                    "channel": [
                        ["name": "OTP", "type": "INPUT", "communicationMode": "VOICE_CALL", "otpLength": 6]
                    ],
                ]
            ])
        #expect(config["merchant"]?.object?["otplessId"] == "sandbox")
        let withMail = try await PlayedApp(try await world())
        #expect(await withMail.config().json["channelConfig"]?.array?.count == 2)
    }

    // MARK: Codes

    @Test func `a code goes by the first channel and is checked`() async throws {
        let otpless = try await world()
        let (app, answer) = try await begun(otpless)
        let leap = try #require(answer.json["quantumLeap"]?.object)
        #expect(leap["channel"] == "OTP" && leap["communicationMode"] == "WHATSAPP" && leap["otpLength"] == 6)
        #expect(leap["channels"] == ["WHATSAPP", "SMS"] && leap["state"] == .string(app.state))
        #expect(leap["timerSettings"] == ["interval": 3, "timeout": 60] && leap["pollingRequired"] == true)
        #expect(leap["asId"] == leap["channelAuthToken"] && leap["status"] == "PENDING")
        #expect(await app.check("999999").errorCode == "7118")
        let checked = await app.check(OtplessWorld.right)
        let oneTap = try #require(checked.json["oneTap"]?.object)
        let token = try #require(oneTap["token"]?.string)
        #expect(checked.json["otpVerificationDetail"] == ["isOTPVerified": true, "code": "200"])
        #expect(oneTap["merchantUserInfo"]?.object?["token"] == .string(token))
        #expect(await otpless.validate(token).json["userId"] == oneTap["merchantUserInfo"]?.object?["userId"])
        #expect(await app.check(OtplessWorld.right).errorCode == "7115")
        #expect(await app.status().json["oneTap"]?.object?["token"] == .string(token))
    }

    @Test(arguments: [
        #""mobile":"+1 200 100 4014""#, #""selectedCountryCode":"+1","value":"2001004014""#,
        #""selectedCountryCode":"1","value":"2001004014""#, #""value":"+12001004014","selectedCountryCode":"+1""#,
        #""value":"12001004014""#, #""mobile":"12001004014","value":"2001004014","email":null,"channel":"PHONE""#,
        #""mobile":"12001004014","expiry":"60","otpLength":"6","deliveryMethod":"","channel":"""#,
        #""mobile":"12001004014","expiry":60,"otpLength":6,"silentAuthEnabled":true"#,
    ])
    func `numbers and figures are read as the SDK writes them`(_ intent: String) async throws {
        let otpless = try await world()
        let (app, answer) = try await begun(otpless, intent)
        #expect(answer.status == 200, "\(answer.json)")
        #expect(otpless.world.gateway.sent.last?.to.text == OtplessWorld.lorant)
        #expect(await app.check(OtplessWorld.right).status == 200)
    }

    @Test(arguments: [
        ("{}", "7106"), (#"{"mobile":""}"#, "7106"), (#"{"mobile":"12"}"#, "7101"),
        (#"{"mobile":12001004014}"#, "7101"), (#"{"value":"99999999","selectedCountryCode":"1"}"#, "7101"),
        (#"{"mobile":"12001004014","otpLength":"5"}"#, "7116"), (#"{"mobile":"12001004014","otpLength":true}"#, "7116"),
        (#"{"mobile":"12001004014","expiry":"29"}"#, "7113"), (#"{"mobile":"12001004014","expiry":901}"#, "7113"),
        (#"{"mobile":"12001004014","expiry":"1e3"}"#, "7113"),
        (#"{"mobile":"12001004014","deliveryMethod":"PIGEON"}"#, "7103"),
        (#"{"mobile":"12001004014","deliveryMethod":"VOICE_CALL"}"#, "7103"),
        (#"{"mobile":"12001004014","channel":"DEVICE"}"#, "7103"),
        (#"{"mobile":"12001004014","identifierType":"FACE"}"#, "7101"),
        (#"{"mobile":"12001004014","appId":"sandbox-2"}"#, "401"), ("[]", "7101"), ("", "7101"),
    ])
    func `bad intents are refused by name and send nothing`(_ body: String, _ code: String) async throws {
        let otpless = try await world()
        let app = try await PlayedApp(otpless)
        let answer = await app.post("intent", body)
        #expect(answer.errorCode == code, "\(answer.json)")
        if code == "7106" { #expect(answer.json["description"] == "field 'mobile' is missing") }
        #expect(otpless.world.gateway.sent.isEmpty)
    }

    @Test(arguments: [
        (#""mobile":"12001004014","email":"a@shop.example""#, "WHATSAPP"),
        (#""mobile":"12001004014","email":"a@shop.example","identifierType":"MOBILE""#, "WHATSAPP"),
        (#""mobile":"12001004014","email":"a@shop.example","identifierType":"EMAIL""#, "EMAIL"),
        (#""email":"a@shop.example""#, "EMAIL"), (#""value":"a@shop.example","identifierType":"EMAIL""#, "EMAIL"),
    ])
    func `of a number and an address the number counts, unless the app says`(
        _ intent: String, _ channel: String
    ) async throws {
        var options = World.Options()
        options.rules.smartChannels = [.whatsapp]
        options.emails = WorldEmails { true }
        let app = try await PlayedApp(try await OtplessWorld(options))
        #expect(await app.intent(intent).json["quantumLeap"]?.object?["communicationMode"]?.string == channel)
    }

    @Test func `the SDK tells of its phone at length`() async throws {
        let app = try await PlayedApp(try await world())
        let phone = String(repeating: "x", count: 12_000)
        #expect(await app.intent(Self.mobile + #","deviceInfo":"\#(phone)""#).status == 200)
        let long = await app.intent(Self.mobile + #","deviceInfo":"\#(phone)\#(phone)""#)
        #expect(long.status == 413 && long.errorCode == "7101")
    }

    @Test func `an app may choose one of its channels`() async throws {
        let (_, answer) = try await begun(try await world(), Self.mobile + #","deliveryMethod":"SMS""#)
        let leap = answer.json["quantumLeap"]?.object
        #expect(leap?["communicationMode"] == "SMS" && leap?["channels"] == ["SMS"])
    }

    @Test func `channels that no route serves are passed over, and none at all is refused`() async throws {
        let (_, answer) = try await begun(try await world(carries: { $0 == .sms }))
        #expect(answer.json["quantumLeap"]?.object?["channels"] == ["SMS"])
        let (_, none) = try await begun(try await world(carries: { _ in false }))
        #expect(none.errorCode == "7103")
    }

    @Test func `codes end, and so do their tries`() async throws {
        let otpless = try await world()
        let (app, _) = try await begun(otpless, Self.mobile + #","expiry":"30""#)
        #expect(await app.check("").errorCode == "7112")
        _ = otpless.world.clock.advance(seconds: 30)
        #expect(await app.check(OtplessWorld.right).errorCode == "7303")
        #expect(await app.status().json["authDetail"]?.object?["status"] == "FAILED")
        _ = await app.intent(Self.mobile)
        for _ in 0..<5 { #expect(await app.check("999999").errorCode == "7118") }
        #expect(await app.check(OtplessWorld.right).errorCode == "7118")
        #expect(await app.status().json["authDetail"]?.object?["status"] == "FAILED")
    }

    @Test func `of many right codes at the same time one passes`() async throws {
        let (app, _) = try await begun(try await world())
        let codes = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<40 { group.addTask { await app.check(OtplessWorld.right).errorCode } }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == "7115" } == 39)
    }

    // MARK: Whose request it is

    @Test func `the newest request of the state counts`() async throws {
        let otpless = try await world()
        let (app, first) = try await begun(otpless)
        _ = otpless.world.clock.advance(seconds: 1)
        let old = first.json["quantumLeap"]?.object?["asId"]?.string ?? ""
        let new = await app.intent(Self.mobile).json["quantumLeap"]?.object?["asId"]?.string ?? ""
        #expect(old != new)
        let answer = await app.status("?token=\(new)&asId=\(new)")
        #expect(answer.status == 200, "\(answer.json)")
        #expect(await app.status("?token=\(old)").errorCode == "7114")
        #expect(await app.status("?token=&appId=sandbox").status == 200)
    }

    @Test func `requests of apps and of backends do not meet`() async throws {
        let otpless = try await world()
        let backend = await otpless.initiate().requestID
        let (app, answer) = try await begun(otpless)
        let own = answer.json["quantumLeap"]?.object?["asId"]?.string ?? ""
        // By the number alone the backend finds what it has begun itself.
        let older = await otpless.post(
            "/auth/otp/v1/verify", #"{"phoneNumber":"12001004014","otp":"123456"}"#)
        #expect(older.json["isOTPVerified"] == true)
        #expect(await otpless.status(backend).json["status"] == "SUCCESS")
        #expect(await otpless.status(own).json["status"] == "PENDING")
        #expect(await app.check(OtplessWorld.right).status == 200)
        #expect(await otpless.status(own).json["status"] == "SUCCESS")
        #expect(await otpless.status(own, as: "sandbox-2").errorCode == "7114")
        // Another app of the same client has begun nothing.
        let other = try await PlayedApp(otpless)
        #expect(await other.check(OtplessWorld.right).errorCode == "7114")
        #expect(await other.status().errorCode == "7114")
    }

    @Test func `pages of the client's origins may call, and no others`() async throws {
        let otpless = try await world()
        func ask(_ origin: String) async -> Response {
            await otpless.get("/v2/state?appId=sandbox", [("Origin", origin)])
        }
        #expect(await ask("https://app.example").status == 200)
        let refused = await ask("https://other.example")
        #expect(refused.status == 403 && refused.errorCode == "401")
    }

    @Test func `every call counts under its address, whatever it names`() async throws {
        var options = World.Options()
        options.platform.callsPerAddressPerSecond = 1
        for target in ["/v2/state?appId=nobody", "/v2/state", "/v3/lp/user/transaction/status/x"] {
            let otpless = try await OtplessWorld(options)
            for _ in 0..<4 { #expect(await otpless.get(target).status == 401) }
            let limited = await otpless.get(target)
            #expect(limited.status == 429 && limited.errorCode == "7023", "\(target)")
        }
    }

    private func limited(
        _ change: (inout Possession.Limits.OverSessions) -> Void
    ) async throws -> (otpless: OtplessWorld, app: PlayedApp) {
        var options = World.limited(change)
        options.rules.smartChannels = [.sms]
        let otpless = try await OtplessWorld(options)
        return (otpless, try await PlayedApp(otpless))
    }

    private func intent(_ index: Int) -> String { #""mobile":"\#(World.number(index))""# }

    @Test func `requests count by the address of the phone, and those of backends do not`() async throws {
        let (otpless, app) = try await limited { $0.startsPerAddressPerTenMinutes = 2 }
        for index in 0..<2 {
            let answer = await app.intent(intent(index))
            #expect(answer.status == 200, "\(answer.json)")
        }
        let refused = await app.intent(#""mobile":"\#(OtplessWorld.lorant)""#)
        #expect(refused.status == 429 && refused.errorCode == "7023" && otpless.world.gateway.sent.count == 2)
        #expect(await otpless.initiate(World.number(4)).status == 200)
    }

    @Test func `apps spend the strangers' part of a budget, and backends the rest`() async throws {
        let (otpless, app) = try await limited {
            $0.spend.mode = .block
            $0.spend.perDay = 20 * SpendGuard.unit
        }
        var passed = 0
        for index in 0..<5 where await app.intent(intent(index)).status == 200 { passed += 1 }
        #expect(passed == 1, "half of a fifth of 15, as nobody knows the network")
        for index in 5..<10 { #expect(await otpless.initiate(World.number(index)).status == 200) }
    }

    // MARK: Links

    /// Anybody may have an app send a link to somebody else's number. Whoever follows it must not be signed in elsewhere.
    @Test func `the code of an app's link is redeemed by the app, and by no backend or other app`() async throws {
        let otpless = try await world()
        let link = Self.mobile + #","channel":"MAGICLINK","redirectURI":"\#(OtplessWorld.page)""#
        let (app, asked) = try await begun(otpless, link)
        let leap = asked.json["quantumLeap"]?.object
        #expect(leap?["channel"] == "MAGICLINK" && leap?["otpLength"] == nil, "it has no code to type")
        let code = await otpless.tapped()
        let (other, _) = try await begun(otpless, link)
        #expect(await other.post("code", #"{"code":"\#(code)"}"#).errorCode == "7118")
        #expect(await otpless.verifyCode(code).errorCode == "7118")
        let form = "code=\(code)&client_id=sandbox&client_secret=sandbox-secret"
        #expect(await otpless.exchange(form).errorCode == "7118")
        #expect(await app.status().json["authDetail"]?.object?["status"] == "PENDING")
        let redeemed = await app.post("code", #"{"code":"\#(code)"}"#)
        #expect(redeemed.json["authDetail"]?.object?["status"] == "SUCCESS")
    }

    // MARK: Channels one after the other

    @Test func `a code that was not delivered goes by the next channel`() async throws {
        let otpless = try await world()
        let (app, _) = try await begun(otpless)
        try await app.tell(.undelivered)
        let detail = await app.status().json["authDetail"]?.object
        #expect(otpless.world.gateway.sent.map(\.avoids) == [[], [ExcludedRoute("main", .whatsapp)]])
        #expect(detail?["communicationMode"] == "SMS" && detail?["communicationDelivered"] == false)
        try await app.tell(.delivered)
        let delivered = await app.status().json["authDetail"]?.object
        #expect(delivered?["communicationDelivered"] == true && delivered?["status"] == "PENDING")
        #expect(Set(otpless.sentCodes).count == 1, "the same code")
        #expect(await app.check(OtplessWorld.right).status == 200)
    }

    @Test func `everything failed is 9106`() async throws {
        let (app, _) = try await begun(try await world())
        try await app.tell(.undelivered)
        try await app.tell(.undelivered)
        for _ in 0..<2 {
            let answer = await app.status()
            #expect(answer.status == 400 && answer.errorCode == "9106")
        }
        // A new request begins anew.
        #expect(await app.intent(Self.mobile).status == 200)
    }

    @Test func `a channel that says nothing has its time`() async throws {
        let otpless = try await world(seconds: 30)
        let (app, _) = try await begun(otpless)
        _ = otpless.world.clock.advance(seconds: 29)
        #expect(await app.mode() == "WHATSAPP")
        _ = otpless.world.clock.advance(seconds: 1)
        #expect(await app.mode() == "SMS")
        #expect(otpless.world.gateway.sent.count == 2 && Set(otpless.sentCodes).count == 1)
        // The last one has no next one.
        _ = otpless.world.clock.advance(seconds: 60)
        #expect(await app.mode() == "SMS")
        #expect(otpless.world.gateway.sent.count == 2)
        #expect(await app.check(OtplessWorld.right).status == 200)
    }

    @Test func `the backend that asks how its request stands moves it on as well`() async throws {
        let otpless = try await world(seconds: 30)
        let id = await otpless.initiate(OtplessWorld.lorant, #","channels":["WHATSAPP","SMS"]"#).requestID
        _ = otpless.world.clock.advance(seconds: 30)
        #expect(await otpless.status(id).json["status"] == "PENDING")
        #expect(otpless.world.gateway.sent.last?.avoids == [ExcludedRoute(every: .whatsapp)])
        _ = await otpless.verify(OtplessWorld.right, id)
        #expect(await otpless.status(id).json["identities"]?.array?.first?.object?["methods"] == ["SMS"])
    }

    @Test func `a code that has arrived waits for the person`() async throws {
        let otpless = try await world()
        let (app, _) = try await begun(otpless)
        try await app.tell(.delivered)
        _ = otpless.world.clock.advance(seconds: 200)
        #expect(await app.mode() == "WHATSAPP" && otpless.world.gateway.sent.count == 1)
    }

    @Test func `a channel that says late that the code has arrived has not failed`() async throws {
        let otpless = try await PlayedApp.world([.whatsapp, .viber, .sms])
        let (app, _) = try await begun(otpless)
        let seconds = Int64(TenantRules.defaultSecondsPerChannel)
        _ = otpless.world.clock.advance(seconds: seconds)
        #expect(await app.mode() == "VIBER")
        try await app.tell(.delivered, message: 0)
        _ = otpless.world.clock.advance(seconds: seconds)
        #expect(await app.mode() == "VIBER" && otpless.world.gateway.sent.count == 2, "nobody needs it once more")
        otpless.world.gateway.refuse(true)
        try await app.tell(.undelivered)
        let answer = await app.status()
        #expect(answer.status == 200 && answer.json["authDetail"]?.object?["status"] == "PENDING", "\(answer.json)")
        #expect(await app.check(OtplessWorld.right).status == 200)
    }

    @Test func `of many questions at the same time one sends the code on`() async throws {
        let otpless = try await world()
        let (app, _) = try await begun(otpless)
        _ = otpless.world.clock.advance(seconds: Int64(TenantRules.defaultSecondsPerChannel))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { _ = await app.status() } }
        }
        #expect(otpless.world.gateway.sent.count == 2)
        // A late word of the first channel changes nothing.
        try await app.tell(.undelivered, message: 0)
        #expect(await app.mode() == "SMS" && otpless.world.gateway.sent.count == 2)
    }

    @Test func `a carrier that takes no message is told at once`() async throws {
        let otpless = try await world()
        otpless.world.gateway.refuse(true)
        let (app, answer) = try await begun(otpless)
        #expect(answer.status == 503 && answer.errorCode == "500")
        #expect(await app.status().errorCode == "9106")
    }
}
