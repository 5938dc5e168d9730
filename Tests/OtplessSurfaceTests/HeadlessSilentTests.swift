import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// The app SDK asks the phone's operator first: intent, silent status, and the code that follows.
@Suite(.timeLimit(.minutes(60))) struct HeadlessSilentTests {
    private static let intent = #""mobile":"12001004014","silentAuthEnabled":true"#

    /// - Returns: the app, and the address that its phone opens.
    private func begun(
        _ otpless: OtplessWorld, _ more: String = intent
    ) async throws -> (app: PlayedApp, link: String) {
        let app = try await PlayedApp(otpless)
        let leap = try #require(await app.intent(more).json["quantumLeap"]?.object)
        #expect(leap["channel"] == "SILENT_AUTH" && leap["timerSettings"] == ["interval": 200, "timeout": 7000])
        #expect(leap["communicationMode"] == nil && leap["otpLength"] == nil && leap["pollingRequired"] == true)
        return (app, try #require(leap["intent"]?.string))
    }

    private func state(_ answer: Response) -> String? { answer.json["authDetail"]?.object?["status"]?.string }

    @Test func `the operator vouches for the number, and nothing is sent`() async throws {
        let otpless = try await PlayedApp.world()
        otpless.world.carrier.answer(.success(.verified(true)))
        let (app, link) = try await begun(otpless)
        #expect(state(await app.silentStatus()) == "PENDING")
        #expect(state(await app.status()) == "PENDING")
        let end = try await otpless.follow(link)
        #expect(state(await app.silentStatus()) == "PENDING", "the end was not opened")
        _ = await otpless.hop(end)
        for answer in [await app.silentStatus(), await app.silentStatus("?lapseMeta=%7B%7D"), await app.status()] {
            #expect(state(answer) == "SUCCESS" && answer.json["quantumLeap"] == nil)
            let identity = answer.json["oneTap"]?.object?["merchantUserInfo"]?.object?["identities"]?.array?.first?
                .object
            #expect(identity?["channel"] == "SILENT_AUTH" && identity?["identityValue"] == "12001004014")
        }
        #expect(otpless.sentCodes.isEmpty)
    }

    @Test(arguments: [false, true]) func `without the operator's word a code follows in the same request`(
        givesUp: Bool
    ) async throws {
        let otpless = try await PlayedApp.world()
        otpless.world.carrier.answer(.success(.verified(false)))
        let (app, link) = try await begun(otpless)
        if !givesUp { _ = await otpless.hop(try await otpless.follow(link)) }
        let failed = await app.silentStatus(givesUp ? "?lapseMeta=%7B%22error%22%3A%22sdk_polling_timeout%22%7D" : "")
        let leap = try #require(failed.json["quantumLeap"]?.object)
        #expect(state(failed) == "FAILED" && leap["channel"] == "OTP" && leap["communicationMode"] == "WHATSAPP")
        #expect(leap["timerSettings"] == ["interval": 3, "timeout": 60] && leap["otpLength"] == 6)
        // An answer that was lost is given again, and no other message goes out.
        let again = await app.silentStatus()
        #expect(again.json["quantumLeap"] == failed.json["quantumLeap"] && otpless.sentCodes.count == 1)
        // A phone that comes late proves nothing any more.
        if givesUp { #expect((await otpless.hop(link)).status != 302) }
        try await app.tell(.undelivered)
        #expect(await app.mode() == "SMS")
        #expect(await app.check(OtplessWorld.right).status == 200)
        #expect(state(await app.silentStatus()) == "SUCCESS")
    }

    @Test func `of many questions at the same time one sends the code`() async throws {
        let otpless = try await PlayedApp.world()
        let (app, _) = try await begun(otpless)
        let states = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<40 { group.addTask { state(await app.silentStatus("?lapseMeta=x")) } }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(states.allSatisfy { $0 == "FAILED" } && otpless.sentCodes.count == 1)
    }

    @Test func `who only asks for header fields sends nothing`() async throws {
        let otpless = try await PlayedApp.world()
        let (app, _) = try await begun(otpless)
        var request = World.request(.head, "/otpless/v3/lp/user/transaction/silent-auth-status/\(app.state)", "")
        request.rawQuery = "lapseMeta=x"
        let answer = await otpless.client.send(request)
        #expect(answer.status == 405 && answer.header("allow") == "GET, OPTIONS" && otpless.sentCodes.isEmpty)
        #expect(state(await app.silentStatus()) == "PENDING")
    }

    @Test func `an operator that nobody asks in time is out, and a code follows`() async throws {
        let otpless = try await PlayedApp.world()
        let (app, link) = try await begun(otpless)
        _ = otpless.world.clock.advance(seconds: 200)
        let answer = await app.silentStatus()
        #expect(state(answer) == "FAILED" && answer.json["quantumLeap"] != nil)
        #expect((await otpless.hop(link)).status != 302)
    }

    @Test func `once no channel takes the code either, everything failed`() async throws {
        let otpless = try await PlayedApp.world()
        let (app, _) = try await begun(otpless)
        otpless.world.gateway.refuse(true)
        for _ in 0..<3 { #expect(await app.silentStatus("?lapseMeta=x").errorCode == "9106") }
        #expect(otpless.world.gateway.sent.isEmpty)
        #expect(await app.status().errorCode == "9106")
    }

    @Test func `once no channel has delivered the code, everything failed`() async throws {
        let otpless = try await PlayedApp.world()
        let (app, _) = try await begun(otpless)
        #expect(state(await app.silentStatus("?lapseMeta=x")) == "FAILED")
        try await app.tell(.undelivered)
        try await app.tell(.undelivered)
        for answer in [await app.silentStatus(), await app.silentStatus("?lapseMeta=x"), await app.status()] {
            #expect(answer.status == 400 && answer.errorCode == "9106")
        }
    }

    @Test func `a code is taken only after the operator had its turn`() async throws {
        let otpless = try await PlayedApp.world()
        let (app, _) = try await begun(otpless)
        #expect(await app.check(OtplessWorld.right).errorCode == "7114")
    }

    @Test(arguments: [
        #""mobile":"12001004014","silentAuthEnabled":true,"otpLength":"6""#,
        #""mobile":"12001004014","silentAuthEnabled":true,"deliveryMethod":"SMS""#,
        #""mobile":"12001004014","silentAuthEnabled":true,"expiry":"60""#,
        #""mobile":"12001004014","silentAuthEnabled":false"#,
    ])
    func `a request with wishes of its own begins with a code`(_ intent: String) async throws {
        let app = try await PlayedApp(try await PlayedApp.world())
        #expect(await app.intent(intent).json["quantumLeap"]?.object?["channel"] == "OTP")
    }

    @Test func `a client that asks no operators sends a code at once, unless the app insists`() async throws {
        var options = World.Options()
        options.rules.smartChannels = [.sms]
        options.rules.mobileAuth = false
        let app = try await PlayedApp(try await OtplessWorld(options))
        #expect(await app.config().json["merchant"]?.object?["config"]?.object?["isSilentAuthEnabled"] == false)
        #expect(await app.intent(Self.intent).json["quantumLeap"]?.object?["channel"] == "OTP")
        #expect(await app.intent(Self.intent + #","channel":"SILENT_AUTH""#).errorCode == "7160")
        let there = try await PlayedApp(try await PlayedApp.world())
        #expect(await there.intent(#""channel":"SILENT_AUTH","email":"a@shop.example""#).errorCode == "7160")
        #expect(await there.intent(#""channel":"SILENT_AUTH""#).errorCode == "7106")
    }

    @Test(arguments: [true, false]) func `an app begins what its backend has created, once`(silent: Bool) async throws {
        let otpless = try await PlayedApp.world()
        let created = await otpless.post(
            "/auth/v1/create", #"{"phoneNumber":"+12001004014"}"#
        ).requestID
        let app = try await PlayedApp(otpless)
        let answer = await app.intent(#""requestId":"\#(created)","silentAuthEnabled":\#(silent)"#)
        #expect(answer.json["quantumLeap"]?.object?["channel"]?.string == (silent ? "SILENT_AUTH" : "OTP"))
        if silent { _ = await app.silentStatus("?lapseMeta=x") }
        #expect(await app.intent(#""requestId":"\#(created)""#).errorCode == "7114")
        #expect(await app.check(OtplessWorld.right).status == 200)
        #expect(await otpless.factor(created) == ["SUCCESS", nil])
        let stranger = try await PlayedApp(otpless, as: "sandbox-2")
        #expect(await stranger.intent(#""requestId":"\#(created)""#).errorCode == "7114")
        #expect(await stranger.intent(#""requestId":"ARID_1""#).errorCode == "7119")
    }
}
