import HTTPServer
import Engine
import Possession
import Sandbox
import StrictJSON
import TestSupport
import Testing
@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Requests that an app begins by the id that its backend has made (`/auth/v1/create`), and what they fall back to.
@Suite(.timeLimit(.minutes(60))) struct OtplessCreatedTests {
    private struct Asker {
        let otpless: OtplessWorld
        let requests: OtplessVerifications
        let silent: OtplessSilent
        let tenant: Tenant
        let app: StartedApp

        init(_ otpless: OtplessWorld) async throws {
            self.otpless = otpless
            requests = OtplessVerifications(otpless.world.engine, people: { [] }, carries: { _ in true })
            silent = OtplessSilent(requests, publicURL: World.publicURL)
            tenant = try #require(try await otpless.world.store.tenant(ClientID("sandbox")!))
            let state = AppState(for: tenant.id, random: [UInt8](repeating: 1, count: AppState.randomBytes))
            app = StartedApp(tenant: tenant, state: state, address: nil, languages: nil)
        }

        func sendAgain(_ id: CorrelationID) async throws(OtplessError) -> Session {
            try await requests.sendAgain(RequestName(field: "orderId", text: id.text), for: tenant)
        }

        func find(_ session: Session) async throws -> Session {
            try await requests.find(.correlation(session.correlationID), for: tenant)
        }

        func standing(_ session: Session) async throws -> OtplessSilent.Standing {
            try await silent.standing(of: try await find(session))
        }

        func begin(fallback: CodeOrder? = CodeOrder()) async throws -> OtplessSilent.Begun {
            var order = SilentOrder()
            order.number = OtplessWorld.lorant
            order.fallback = fallback
            return try await silent.begin(order, for: tenant)
        }
    }

    private static let members = #""phoneNumber":"2001004014","countryCode":"1""#

    private func create(_ otpless: OtplessWorld, _ members: String = members) async -> Response {
        await otpless.post("/auth/v1/create", "{\(members)}")
    }

    // MARK: Create

    @Test func `makes an id for the app, and sends nothing`() async throws {
        let otpless = try await OtplessWorld()
        let created = await create(otpless)
        #expect(created.status == 200 && created.json.members.count == 1)
        #expect(created.requestID.hasPrefix("ARID_") && created.requestID.utf8.count == 37)
        #expect(otpless.sentCodes.isEmpty)
        let early = await otpless.detail(created.requestID)
        let factor = early.json["auths"]?.array?.first?.object
        #expect(early.status == 200 && factor?["type"] == "PRIMARY" && factor?["status"] == "PENDING", "\(early.text)")
        #expect(await otpless.status(created.requestID).json["status"] == "PENDING")
        let other = await otpless.detail(created.requestID, as: "sandbox-2")
        #expect(other.errorCode == "7114")
    }

    @Test func `lives as long as it says, and then has failed`() async throws {
        let otpless = try await OtplessWorld()
        let id = await create(otpless, Self.members + #","expiry":60"#).requestID
        let long = await create(otpless).requestID
        _ = otpless.world.clock.advance(seconds: 59)
        #expect(await otpless.factor(id) == ["PENDING", nil])
        _ = otpless.world.clock.advance(seconds: 1)
        #expect(await otpless.factor(id) == ["FAILED", "7303"])
        _ = otpless.world.clock.advance(seconds: 839)
        #expect(await otpless.factor(long) == ["PENDING", nil])
        _ = otpless.world.clock.advance(seconds: 1)
        #expect(await otpless.factor(long) == ["FAILED", "7303"])
    }

    @Test func `reads a number by its country code, a whole one, and an address`() async throws {
        var options = World.Options()
        options.emails = SandboxEmails(World.users)
        let otpless = try await OtplessWorld(options)
        for members in [
            #""phoneNumber":"2001004014","countryCode":"+1""#, #""phoneNumber":"+12001004014""#,
            #""phoneNumber":"+12001004014","countryCode":"1""#, #""email":"ada@example.com","tid":"x""#,
        ] {
            #expect(await create(otpless, members).status == 200, "\(members)")
        }
        for (members, code) in [
            (#""phoneNumber":"2001004014""#, "7101"), (#""phoneNumber":"2001004014","countryCode":"x1""#, "7101"),
            (#""phoneNumber":"2001004014","countryCode":"1234""#, "7101"),
            (#""phoneNumber":"1","countryCode":"1""#, "7101"),
            (#""countryCode":"1""#, "7106"), (#""email":"nobody""#, "7104"),
            (Self.members + #","expiry":59"#, "7113"), (Self.members + #","expiry":86401"#, "7113"),
            (Self.members + #","tid":1"#, "7101"),
        ] {
            let answer = await create(otpless, members)
            #expect(answer.status == 400 && answer.errorCode == code, "\(members)")
        }
    }

    @Test func `is found by the app's SDK until it has begun`() async throws {
        let app = try await Asker(try await OtplessWorld())
        let text = await create(app.otpless).requestID
        let created = try await app.requests.created(text, for: app.tenant)
        #expect(created.currentNumber?.e164 == OtplessWorld.lorant)
        let begun = try await app.silent.begin(created: created, for: app.app)
        #expect(begun.session.correlationID == created.correlationID)
        #expect(await app.otpless.factor(text) == ["PENDING", nil])
        await #expect(throws: OtplessError.unknownRequest) {
            _ = try await app.requests.created(text, for: app.tenant)
        }
        await #expect(throws: OtplessError.unknownRequest) {
            _ = try await app.silent.begin(created: created, for: app.app)
        }
        let other = try #require(try await app.otpless.world.store.tenant(ClientID("sandbox-2")!))
        await #expect(throws: OtplessError.unknownRequest) { _ = try await app.requests.created(text, for: other) }
        app.otpless.world.carrier.answer(.success(.verified(true)))
        _ = await app.otpless.hop(try await app.otpless.follow(begun.link))
        #expect(await app.otpless.factor(text) == ["SUCCESS", nil])
    }

    @Test(arguments: [
        #""mobile":"12001004014""#, #""mobile":"+1 200 100 4014""#,
        #""value":"2001004014","selectedCountryCode":"+1""#, #""mobile":"","value":"","email":"""#,
        #""platform":"HEADLESS""#,
    ]) func `an app may name the request's own number beside it`(members: String) async throws {
        let otpless = try await PlayedApp.world()
        let id = await create(otpless).requestID
        #expect(try await PlayedApp(otpless).intent(#""requestId":"\#(id)",\#(members)"#).status == 200)
        #expect(otpless.world.gateway.sent.map(\.to.text) == [OtplessWorld.lorant])
    }

    @Test(arguments: [
        (#""mobile":"12001004015""#, "7101", "mobile"),
        (#""value":"2001004015","selectedCountryCode":"1""#, "7101", "value"),
        (#""email":"ada@example.com""#, "7104", "email"), (#""mobile":"12""#, "7101", "mobile"),
    ]) func `an app that names somebody else begins nothing`(members: String, code: String, field: String) async throws
    {
        let otpless = try await PlayedApp.world()
        let id = await create(otpless).requestID
        let app = try await PlayedApp(otpless)
        let refused = await app.intent(#""requestId":"\#(id)",\#(members)"#)
        #expect(refused.status == 400 && refused.errorCode == code)
        #expect(refused.json["description"]?.string?.contains("'\(field)'") == true)
        #expect(otpless.world.gateway.sent.isEmpty)
        #expect(await app.intent(#""requestId":"\#(id)""#).status == 200, "it is still to begin")
    }

    @Test func `its code takes the channels of apps, and Android reads it`() async throws {
        let otpless = try await PlayedApp.world()
        try await otpless.register(hash: OtplessWorld.hash)
        let id = await create(otpless).requestID
        let app = try await PlayedApp(otpless)
        let begun = await app.intent(#""requestId":"\#(id)","deviceInfo":"{\"platform\":\"Android\"}""#)
        #expect(begun.json["quantumLeap"]?.object?["channels"] == ["WHATSAPP", "SMS"])
        let message = try #require(otpless.world.gateway.sent.last)
        #expect(message.forms.map(\.channel) == [.whatsapp, .sms])
        #expect(message.forms.last?.text.hasSuffix(OtplessWorld.hash) == true)
        _ = otpless.world.clock.advance(seconds: Int64(TenantRules.defaultSecondsPerChannel))
        #expect(await app.mode() == "SMS")
    }

    @Test func `of many that begin one request at the same time one does`() async throws {
        let app = try await Asker(try await OtplessWorld())
        let created = try await app.requests.created(await create(app.otpless).requestID, for: app.tenant)
        let begun = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { (try? await app.silent.begin(created: created, for: app.app)) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(begun == 1)
    }

    @Test func `a code does not begin what an app is to begin`() async throws {
        let otpless = try await OtplessWorld()
        let text = await create(otpless).requestID
        let id = try #require(CreatedID.session(text)).text
        #expect(await otpless.post("/auth/otp/v1/resend", #"{"orderId":"\#(id)"}"#).errorCode == "7114")
        #expect(await otpless.verify(OtplessWorld.right, id).errorCode == "7114")
        #expect(otpless.sentCodes.isEmpty)
    }

    // MARK: From a silent proof to a code

    @Test func `a request whose silent proof has failed sends a code, and passes by it`() async throws {
        let app = try await Asker(try await OtplessWorld())
        app.otpless.world.carrier.answer(.success(.verified(false)))
        let begun = try await app.begin()
        #expect(try await app.standing(begun.session) == .pending)
        let end = try await app.otpless.follow(begun.link)
        #expect(try await app.standing(begun.session) == .failed(.otherNumber))
        let id = begun.session.correlationID
        #expect(await app.otpless.factor(id.text) == ["PENDING", nil], "a code may follow")
        _ = try await app.sendAgain(id)
        #expect(app.otpless.sentCodes.count == 1)
        #expect(await app.otpless.hop(end).json == ["status": "FAILED"])
        #expect(try await app.standing(begun.session) == .failed(.otherNumber))
        #expect(await app.otpless.verify(OtplessWorld.right, id.text).status == 200)
        let identity = await app.otpless.status(id.text).json["identities"]?.array?.first?.object
        #expect(identity?["channel"] == "OTP" && identity?["methods"] == ["SMS"])
    }

    @Test func `a code that is sent in the middle of a silent proof ends that`() async throws {
        let app = try await Asker(try await OtplessWorld())
        app.otpless.world.carrier.answer(.success(.verified(true)))
        let begun = try await app.begin()
        let end = try await app.otpless.follow(begun.link)
        _ = try await app.sendAgain(begun.session.correlationID)
        #expect(try await app.standing(begun.session) == .failed(.cancelled))
        #expect(await app.otpless.hop(end).json == ["status": "FAILED"])
        #expect(await app.otpless.verify(OtplessWorld.right, begun.session.correlationID.text).status == 200)
    }

    @Test func `an app that gives up goes on by a code, and the phone comes too late`() async throws {
        let app = try await Asker(try await OtplessWorld())
        app.otpless.world.carrier.answer(.success(.verified(true)))
        let begun = try await app.begin()
        let first = await app.otpless.hop(begun.link)
        let session = try await app.silent.giveUp(begun.session)
        #expect(session.phase == .active(.otpStart))
        #expect(try await app.silent.giveUp(begun.session).phase == .active(.otpStart))
        #expect(try await app.standing(begun.session) == .failed(.cancelled))
        #expect(await app.otpless.hop(try app.otpless.back(first)).status == 410)
    }

    @Test func `an app that gives up after the success has succeeded`() async throws {
        let app = try await Asker(try await OtplessWorld())
        app.otpless.world.carrier.answer(.success(.verified(true)))
        let begun = try await app.begin()
        _ = await app.otpless.hop(try await app.otpless.follow(begun.link))
        #expect(try await app.silent.giveUp(begun.session).outcome == .succeeded)
        #expect(try await app.standing(begun.session) == .succeeded)
    }

    @Test func `a request without a fallback is over with its silent proof`() async throws {
        let app = try await Asker(try await OtplessWorld())
        let begun = try await app.begin(fallback: nil)
        #expect(try await app.silent.giveUp(begun.session).outcome == .failed)
        await #expect(throws: OtplessError.codeExpired) {
            _ = try await app.sendAgain(begun.session.correlationID)
        }
    }

    @Test func `the fallback is the code that was ordered`() async throws {
        let app = try await Asker(try await OtplessWorld())
        var code = CodeOrder()
        (code.channels, code.codeLength) = ([.whatsapp], 4)
        let begun = try await app.begin(fallback: code)
        _ = try await app.silent.giveUp(begun.session)
        _ = try await app.sendAgain(begun.session.correlationID)
        let sent = app.otpless.world.gateway.sent.last
        #expect(sent?.code?.text.utf8.count == 4 && sent?.forms.map(\.channel) == [.whatsapp])
    }
}
