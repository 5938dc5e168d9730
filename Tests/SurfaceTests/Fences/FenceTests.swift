import HTTPServer
import Engine
import Possession
import PreludeSurface
import ProveSurfaces
import StrictJSON
import TestSupport
import Testing
import Text

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// One API client's sessions of one surface, asked for at the others: they are not there.
@Suite(.timeLimit(.minutes(60))) struct FenceTests {
    enum Surface: String, CaseIterable, Sendable {
        case unify
        case prelude
        case twilioVerify = "twilio-verify"
        case otpless
        case camara
    }

    /// Every surface on one engine, called for one API client.
    private struct Everything {
        let world: World
        let prelude: PreludeWorld
        let twilio: TwilioWorld
        let otpless: OtplessWorld
        let camara: CamaraWorld
        let token: String

        init() async throws {
            camara = try await CamaraWorld()
            world = camara.world
            prelude = try await PreludeWorld(on: world)
            twilio = try await TwilioWorld(on: world)
            otpless = try await OtplessWorld(on: world)
            token = await camara.token()
        }

        /// Starts a session of the same number.
        func start(_ surface: Surface) async throws -> CorrelationID {
            switch surface {
            case .unify: _ = await world.start(World.mobile)
            case .prelude: _ = await prelude.create()
            case .twilioVerify: _ = await twilio.create()
            case .otpless: _ = await otpless.initiate()
            case .camara: _ = await camara.send(token)
            }
            let all = try await world.store.recentSessions(limit: 10)
            let started = try #require(
                all.first { $0.request.policy.product == ProductName(surface.rawValue)! }, "\(surface)")
            return started.correlationID
        }

        /// Asks for a session, or shows a wrong code for it; whether there is one.
        func knows(_ id: CorrelationID, _ surface: Surface) async -> Bool {
            switch surface {
            case .unify: await world.status(.init(correlationID: id.text, token: "")).status == 200
            case .prelude:
                await prelude.call(.get, "/v2/verification/phone/history/\(PreludeID.text(id))").status == 200
            case .twilioVerify: await twilio.get("/Verifications/VE\(Hex.text(id.bytes))").status == 200
            case .otpless: await otpless.verify("000000", id.text).errorCode == "7118"
            case .camara: await camara.validate("000000", id.text, token).camaraCode == "INVALID_OTP"
            }
        }

        /// Shows the right code for a session, or ends it.
        func finish(_ id: CorrelationID, _ surface: Surface) async {
            switch surface {
            case .unify:
                _ = await world.post("/v3/unify-bind", #"{"correlationId":"\#(id.text)","phoneNumber":"2001004014"}"#)
            case .prelude: _ = await prelude.check("123456")
            case .twilioVerify:
                let sid = "VE\(Hex.text(id.bytes))"
                _ = await twilio.post("/VerificationCheck", "VerificationSid=\(sid)&Code=123456")
                _ = await twilio.post("/Verifications/\(sid)", "Status=canceled")
            case .otpless:
                _ = await otpless.verify("123456", id.text)
                _ = await otpless.post("/auth/otp/v1/verify", #"{"orderId":"\#(id.text)","otp":"123456"}"#)
                _ = await otpless.post("/auth/otp/v1/verify", #"{"phoneNumber":"+12001004014","otp":"123456"}"#)
            case .camara: _ = await camara.validate("123456", id.text, token)
            }
        }
    }

    @Test(arguments: Surface.allCases)
    func `a session is found and finished at its own surface only`(own: Surface) async throws {
        let all = try await Everything()
        let id = try await all.start(own)
        let key = SessionKey.correlation(id)
        let before = try await all.world.store.session(key)
        for other in Surface.allCases where other != own {
            #expect(await !all.knows(id, other), "\(other)")
            await all.finish(id, other)
            #expect(try await all.world.store.session(key) == before, "\(other)")
        }
        #expect(await all.knows(id, own))
    }

    @Test func `an attempt of one surface leads nowhere at another, and stays what it is`() async throws {
        let all = try await Everything()
        let walk = await (await all.world.native()).beginMobileAuth()
        let elsewhere = walk.path.replacing("/ma/v1/go/", with: "/prelude/silent/")
        #expect(elsewhere != walk.path)
        let refused = await all.prelude.hop("\(World.publicURL)\(elsewhere)?\(walk.query)")
        #expect(refused.status == 200 && refused.json["reason"]?.string == "gone")
        #expect(await walk.go().status == 302, "the ticket is not used up")

        await all.prelude.signals()
        let offered = await all.prelude.create(
            PreludeWorld.lorant, #","dispatch_id":"\#(PreludeWorld.dispatch)""#
        ).json["silent"]?.object?["request_url"]?.string
        let url = try #require(offered)
        let hop = await all.prelude.hop(url.replacing("/prelude/silent/", with: "/ma/v1/go/"))
        #expect(hop.status == 404)
        #expect(await all.prelude.hop(url).status == 302)
    }

    @Test func `a link is answered only where links of its product are`() async throws {
        let world = try await World()
        let app = await world.linked()
        #expect(await app.post("/link").status == 200)
        let token = try #require(world.newestLink.split(separator: "/").last.map(String.init))
        let elsewhere = LinkService(world.engine, in: SessionFence(products: [ProductName("toy")!]))
        #expect(try await elsewhere.view(token) == .unknown)
        #expect(try await elsewhere.decide(token, .approve(matchCode: nil), address: nil) == .unknown)
        try await elsewhere.answer(token, approves: true)
        #expect(await app.read().json["outcome"] == nil)
        let own = LinkService(world.engine, in: SessionFence(products: ProductName.ofPlatform))
        #expect(try await own.view(token) != .unknown)
    }

    @Test(arguments: Surface.allCases.dropFirst())
    func `an auth token opens no session that a backend drives`(own: Surface) async throws {
        let all = try await Everything()
        let id = try await all.start(own)
        let session = try #require(try await all.world.store.session(.correlation(id)))
        let token = try all.world.engine.crypto.tokens.issueAuthToken(
            for: session.authID, nonce: [1], jti: [2], at: all.world.clock.now())
        let app = App(all.world, World.Started(correlationID: id.text, token: token), key: nil)
        for answer in [await app.read(), await app.redeem(), await app.post("/cancel")] {
            #expect(answer.status == 401)
        }
        #expect(try await all.world.store.session(.correlation(id)) == session)
    }
}
