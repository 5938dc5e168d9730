import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

@Suite struct MobileAuthFinishTests {
    private static let stranger = "AAAAAAAAAAAAAAAAAAAAAA"

    /// A client whose operator agrees, with an attempt.
    private func begun() async throws -> (App, MobileAuthWalk) {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let app = await world.native()
        return (app, await app.beginMobileAuth())
    }

    private func expectInvalid(
        _ answer: Response, _ sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 400, sourceLocation: sourceLocation)
        #expect(refusal(of: answer) == "vfp_invalid", sourceLocation: sourceLocation)
        #expect(answer.json["code"] == 20301, sourceLocation: sourceLocation)
        #expect(
            answer.json["message"] == "field 'vfp' is not valid for this attempt", sourceLocation: sourceLocation)
        #expect(answer.json["state"]?.object?["outcome"] == nil, sourceLocation: sourceLocation)
    }

    // MARK: fields

    @Test(arguments: [
        (#"{"vfp":"x"}"#, "field 'attemptId' is missing"),
        (#"{"attemptId":null,"vfp":"x"}"#, "field 'attemptId' is missing"),
        (#"{"attemptId":"","vfp":"x"}"#, "field 'attemptId' is missing"),
        (#"{"attemptId":1,"vfp":"x"}"#, "field 'attemptId' must be a string"),
        (#"{"attemptId":"x","vfp":"x"}"#, "field 'attemptId' must be the one that mobile-auth gave"),
        (#"{"attemptId":"\#(stranger)A","vfp":"x"}"#, "field 'attemptId' must be the one that mobile-auth gave"),
        (
            #"{"attemptId":"AAAAAAAAAAAAAAAAAAAA\u00e9","vfp":"x"}"#,
            "field 'attemptId' must be the one that mobile-auth gave"
        ),
        (#"{"attemptId":"\#(stranger)"}"#, "field 'vfp' is missing, and so is error"),
        (#"{"attemptId":"\#(stranger)","vfp":null,"error":null}"#, "field 'vfp' is missing, and so is error"),
        (#"{"attemptId":"\#(stranger)","vfp":""}"#, "field 'vfp' is missing, and so is error"),
        (#"{"attemptId":"\#(stranger)","vfp":7}"#, "field 'vfp' must be a string"),
        (#"{"attemptId":"\#(stranger)","error":""}"#, "field 'vfp' is missing, and so is error"),
        (#"{"attemptId":"\#(stranger)","error":false}"#, "field 'error' must be a string"),
        (#"{"attemptId":"\#(stranger)","error":"a\u0000b"}"#, "field 'error' has a control character"),
        (#"{"attemptId":"\#(stranger)","vfp":"x","error":"y"}"#, "field 'error' must not stand beside vfp"),
        (#"{"attemptId":"\#(stranger)","phoneNumber":"1"}"#, "field 'phoneNumber' is not known"),
    ]) func `names a bad field`(body: String, message: String) async throws {
        let (app, _) = try await begun()
        let answer = await app.post("/mobile-auth/finish", body)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": 1001, "error": "invalid_request", "message": .string(message)])
        #expect(await app.read().json["step"] == "mobileAuth")
    }

    @Test(arguments: [("vfp", 1024), ("error", 64)])
    func `takes a text up to its length`(member: String, length: Int) async throws {
        let (app, walk) = try await begun()
        func body(_ count: Int) -> String {
            #"{"attemptId":"\#(walk.attempt)","\#(member)":"\#(String(repeating: "x", count: count))"}"#
        }
        let long = await app.post("/mobile-auth/finish", body(length + 1))
        #expect(long.json["message"]?.string == "field '\(member)' is longer than \(length) characters")
        let taken = await app.post("/mobile-auth/finish", body(length))
        #expect(member == "vfp" ? refusal(of: taken) == "vfp_invalid" : taken.status == 200)
    }

    @Test func `does not tell the state what a client said went wrong`() async throws {
        let (app, walk) = try await begun()
        let body = #"{"attemptId":"\#(walk.attempt)","error":"<script>no network</script>"}"#
        let answer = await app.post("/mobile-auth/finish", body)
        #expect(answer.status == 200 && !answer.text.contains("script"))
        #expect(answer.json["mobileAuth"] == ["attemptsLeft": 2, "error": "mobile_auth_unavailable", "code": 20303])
    }

    @Test func `needs no number once the operator has told it`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.number(try #require(PhoneNumber(e164: "+12001004014")))))
        let app = await world.native(World.mobileWithoutNumber)
        #expect(await app.read().json["phone"] == ["needed": true])
        let walk = await app.beginMobileAuth()
        let answer = await app.post("/mobile-auth/finish", walk.finishBody(try #require(await walk.follow())))
        #expect(answer.json["outcome"] == "succeeded")
        #expect(answer.json["phone"]?.object?["needed"] == false)
    }

    // MARK: fingerprints

    @Test func `takes no fingerprint but its own`() async throws {
        let (app, walk) = try await begun()
        let world = walk.world
        let other = await world.native()
        let foreign = await other.beginMobileAuth()
        let foreignPrint = try #require(await foreign.follow())
        expectInvalid(await app.post("/mobile-auth/finish", walk.finishBody("v1.x.y")))
        expectInvalid(await app.post("/mobile-auth/finish", walk.finishBody(foreignPrint)))
        expectInvalid(await app.post("/mobile-auth/finish", foreign.finishBody(foreignPrint)))

        let fingerprint = try #require(await walk.follow())
        expectInvalid(await app.post("/mobile-auth/finish", walk.finishBody(fingerprint + "x")))
        expectInvalid(await app.post("/mobile-auth/finish", foreign.finishBody(fingerprint)))
        let answer = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        #expect(answer.json["outcome"] == "succeeded", "none of these spoiled it")
        #expect(
            await other.post("/mobile-auth/finish", foreign.finishBody(foreignPrint)).json["outcome"] == "succeeded")
    }

    @Test func `takes no forged fingerprint before the operator was asked`() async throws {
        let (app, walk) = try await begun()
        let forged = FakeMobileAuthTokens().fingerprint(
            Fingerprint(
                attempt: AttemptID(FakeKey.decoded(walk.attempt)!)!, authID: AuthID(app.authID)!,
                sessionKey: app.key?.thumbprint, result: [], issuedAt: walk.world.clock.now(),
                expiresAt: walk.world.clock.now().adding(.seconds(60))))
        expectInvalid(await app.post("/mobile-auth/finish", walk.finishBody(forged)))
        _ = await walk.go()
        expectInvalid(await app.post("/mobile-auth/finish", walk.finishBody(forged)))
        walk.world.carrier.answer(.failure(.timeout))
        _ = await walk.comeBack()
        expectInvalid(await app.post("/mobile-auth/finish", walk.finishBody(forged)))
        #expect(await app.post("/mobile-auth/finish", walk.giveUpBody).json["step"] == "otpStart")
    }

    @Test func `takes no fingerprint made for another key`() async throws {
        let (app, walk) = try await begun()
        let fingerprint = try #require(await walk.follow())
        let parsed = try #require(FakeMobileAuthTokens().fingerprint(in: fingerprint))
        for key in [nil, FakeKey(2).thumbprint] {
            let forged = FakeMobileAuthTokens().fingerprint(
                Fingerprint(
                    attempt: parsed.attempt, authID: parsed.authID, sessionKey: key, result: parsed.result,
                    issuedAt: parsed.issuedAt, expiresAt: parsed.expiresAt))
            expectInvalid(await app.post("/mobile-auth/finish", walk.finishBody(forged)))
        }
    }

    @Test func `takes no fingerprint of an attempt that a newer one made void`() async throws {
        let (app, older) = try await begun()
        let fingerprint = try #require(await older.follow())
        let newer = await app.beginMobileAuth()
        expectInvalid(await app.post("/mobile-auth/finish", older.finishBody(fingerprint)))
        expectInvalid(await app.post("/mobile-auth/finish", newer.finishBody(fingerprint)))
        #expect(await newer.follow() != nil)
    }

    @Test(arguments: [(59, 200), (60, 400)]) func `takes it for a minute`(age: Int64, status: Int) async throws {
        let (app, walk) = try await begun()
        let fingerprint = try #require(await walk.follow())
        _ = walk.world.clock.advance(seconds: age)
        let answer = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        #expect(answer.status == status)
        guard status == 400 else { return }
        #expect(refusal(of: answer) == "vfp_expired" && answer.json["code"] == 20302)
        #expect(answer.json["message"] == "field 'vfp' is no longer valid")
        #expect(allowed(by: answer) == ["mobileAuth", "mobileAuth.finish", "otp.start", "cancel"])
        #expect(await app.post("/mobile-auth/finish", walk.giveUpBody).json["step"] == "otpStart")
    }

    @Test func `takes it once`() async throws {
        let (app, walk) = try await begun()
        let fingerprint = try #require(await walk.follow())
        #expect(await app.post("/mobile-auth/finish", walk.finishBody(fingerprint)).status == 200)
        let again = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        #expect(again.status == 410 && refusal(of: again) == "session_done")
    }

    @Test func `forgets a mismatch with the step, and takes no second look`() async throws {
        let (app, walk) = try await begun()
        walk.world.carrier.answer(.success(.verified(false)))
        let fingerprint = try #require(await walk.follow())
        #expect(await app.post("/mobile-auth/finish", walk.finishBody(fingerprint)).json["step"] == "otpStart")
        let again = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        #expect(again.status == 409 && refusal(of: again) == "invalid_state")
    }

    // MARK: retries and steps

    @Test func `gives a retry the same bytes`() async throws {
        let (app, walk) = try await begun()
        let fingerprint = try #require(await walk.follow())
        let body: JSONObject = [
            "attemptId": .string(walk.attempt), "vfp": .string(fingerprint), "requestId": "r-1",
        ]
        let first = await app.post("/mobile-auth/finish", body.text)
        let again = await app.post("/mobile-auth/finish", body.text)
        #expect(first.status == 200 && first.json["outcome"] == "succeeded")
        #expect(again.status == 200 && again.body == first.body)
        let other = #"{"attemptId":"\#(walk.attempt)","error":"timeout","requestId":"r-1"}"#
        #expect(refusal(of: await app.post("/mobile-auth/finish", other)) == "request_id_reused")
    }

    @Test func `is refused where there is no attempt`() async throws {
        let world = try await World()
        let app = App(world, await world.start(World.mobile))
        let body = #"{"attemptId":"\#(Self.stranger)","error":"timeout"}"#
        func expectWrongStep(_ sourceLocation: SourceLocation = #_sourceLocation) async {
            let answer = await app.post("/mobile-auth/finish", body)
            #expect(answer.status == 409 && refusal(of: answer) == "invalid_state", sourceLocation: sourceLocation)
        }
        await expectWrongStep()
        _ = await app.post("", #"{"platform":"ios","fallback":"otp"}"#)
        await expectWrongStep()
        _ = await app.beginMobileAuth()
        await expectWrongStep()
        _ = await app.post("/otp")
        await expectWrongStep()
        _ = await app.post("/cancel")
        #expect(await app.post("/mobile-auth/finish", body).status == 410)
    }

    @Test func `is for the session's own key alone`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let started = await world.start(World.mobile)
        let app = App(world, started)
        _ = await app.post("", #"{"platform":"ios","fallback":"otp"}"#)
        let walk = await app.beginMobileAuth()
        let fingerprint = try #require(await walk.follow())
        let thief = App(world, started, key: FakeKey(2))
        for body in [walk.finishBody(fingerprint), walk.giveUpBody] {
            #expect(refusal(of: await thief.post("/mobile-auth/finish", body)) == "token_already_used")
        }
        _ = try await world.store.revokeTenant(ClientID("sandbox")!, at: world.clock.now())
        let revoked = await app.post("/mobile-auth/finish", walk.finishBody(fingerprint))
        #expect(revoked.status == 401 && refusal(of: revoked) == "invalid_token")
    }
}
