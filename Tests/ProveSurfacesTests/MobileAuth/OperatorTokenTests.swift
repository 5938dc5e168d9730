import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// An attempt that ends by a token of the phone's operator, which needs no mobile network.
@Suite struct OperatorTokenTests {
    private static let token = "eyJhbGciOiJkaXIifQ..operator-token"

    /// A client whose operator agrees, with an attempt.
    private func begun(_ body: String = World.mobile) async throws -> (World, App, MobileAuthWalk) {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let app = await world.native(body)
        return (world, app, await app.beginMobileAuth())
    }

    private static func body(
        _ walk: MobileAuthWalk, token: String = token, plmn: String = "26201", requestID: String? = nil
    ) -> String {
        var body: JSONObject = [
            "attemptId": .string(walk.attempt), "operatorToken": .string(token), "plmn": .string(plmn),
        ]
        body.set("requestId", requestID)
        return body.text
    }

    private func timeline(_ world: World, _ app: App) async throws -> [String] {
        let id = try #require(AuthID(app.authID))
        let session = try #require(try await world.store.session(.auth(id)))
        return try await world.store.events(of: session.correlationID)
            .map { "\($0.kind.rawValue) \($0.detail ?? "")" }.filter { $0.hasPrefix("mobile_auth") }
    }

    @Test func `proves the number in one call`() async throws {
        let (world, app, walk) = try await begun()
        let answer = await app.post("/mobile-auth/token", Self.body(walk))
        #expect(answer.status == 200 && answer.json["outcome"] == "succeeded")
        #expect(answer.json["mobileAuth"] == ["attemptsLeft": 2])
        #expect(world.carrier.redeemed == ["token " + Self.token])
        #expect(
            try await timeline(world, app) == [
                "mobile_auth_begun ", "mobile_auth_sent_to_operator fake token", "mobile_auth_answered agrees",
                "mobile_auth_passed ",
            ])
    }

    @Test func `proves the number that the operator tells`() async throws {
        let (world, app, walk) = try await begun(World.mobileWithoutNumber)
        world.carrier.answer(.success(.number(World.laney)))
        let answer = await app.post("/mobile-auth/token", Self.body(walk))
        #expect(answer.json["outcome"] == "succeeded" && answer.json["phone"]?.object?["needed"] == false)
        let id = try #require(AuthID(app.authID))
        #expect(try await world.store.session(.auth(id))?.proof?.number == World.laney)
    }

    @Test(arguments: [
        (Result<OperatorAnswer, OperatorFault>.success(.verified(false)), "mobile_auth_mismatch"),
        (.success(.number(World.laney)), "mobile_auth_mismatch"), (.failure(.timeout), "mobile_auth_unavailable"),
        (.failure(.circuitOpen), "mobile_auth_unavailable"), (.failure(.notOnNetwork), "mobile_auth_unavailable"),
        (.failure(.failed(reason: "token: 400 invalid_grant")), "mobile_auth_unavailable"),
    ]) func `goes on with the next step otherwise`(
        said: Result<OperatorAnswer, OperatorFault>, error: String
    ) async throws {
        let (world, app, walk) = try await begun()
        world.carrier.answer(said)
        let answer = await app.post("/mobile-auth/token", Self.body(walk))
        #expect(answer.status == 200 && answer.json["step"] == "otpStart")
        #expect(answer.json["mobileAuth"]?.object?["error"]?.string == error)
        #expect(refusal(of: await app.post("/mobile-auth/token", Self.body(walk))) == "invalid_state")
        #expect(world.carrier.redeemed.count == 1)
    }

    @Test func `an attempt ends in one of the two ways`() async throws {
        let (world, app, walk) = try await begun()
        #expect(await walk.go().status == 302)
        #expect(refusal(of: await app.post("/mobile-auth/token", Self.body(walk))) == "invalid_state")
        #expect(world.carrier.redeemed.isEmpty)
        #expect(await walk.comeBack().json["vfp"] != nil, "the phone is still on its way")

        let (other, wifi, offer) = try await begun()
        let tried = await withTaskGroup(of: Response.self) { group in
            for _ in 0..<8 { group.addTask { await wifi.post("/mobile-auth/token", Self.body(offer)) } }
            group.addTask { await offer.go() }
            return await group.reduce(into: [Response]()) { $0.append($1) }
        }
        #expect(tried.count { $0.status == 200 || $0.status == 302 } == 1)
        #expect(other.carrier.redeemed.count <= 1)
    }

    @Test func `an older attempt is void, and one of another session is none`() async throws {
        let (world, app, older) = try await begun()
        let newer = await app.beginMobileAuth()
        #expect(refusal(of: await app.post("/mobile-auth/token", Self.body(older))) == "invalid_state")
        let other = await world.native()
        let foreign = await other.beginMobileAuth()
        #expect(refusal(of: await app.post("/mobile-auth/token", Self.body(foreign))) == "invalid_state")
        #expect(world.carrier.redeemed.isEmpty)
        #expect(await app.post("/mobile-auth/token", Self.body(newer)).json["outcome"] == "succeeded")
    }

    @Test func `comes too late with the ticket`() async throws {
        let (world, app, walk) = try await begun()
        _ = world.clock.advance(seconds: 600 - 1)
        let answer = await app.post("/mobile-auth/token", Self.body(walk))
        #expect(refusal(of: answer) == "vfp_expired" && world.carrier.redeemed.isEmpty)
        let again = await app.beginMobileAuth()
        #expect(await app.post("/mobile-auth/token", Self.body(again)).json["outcome"] == "succeeded")
    }

    @Test func `a retry gets the answer, and asks nobody`() async throws {
        let (world, app, walk) = try await begun()
        world.carrier.answer(.success(.verified(false)))
        let body = Self.body(walk, requestID: "r-1")
        let first = await app.post("/mobile-auth/token", body)
        let second = await app.post("/mobile-auth/token", body)
        #expect(first.body == second.body && first.json["step"] == "otpStart")
        #expect(world.carrier.redeemed.count == 1)
        let changed = Self.body(walk, token: "other", requestID: "r-1")
        #expect(refusal(of: await app.post("/mobile-auth/token", changed)) == "request_id_reused")
    }

    @Test func `a retry that comes before the answer shows the session as it waits`() async throws {
        let (world, app, walk) = try await begun()
        let body = Self.body(walk, requestID: "r-1")
        world.carrier.meanwhile {
            world.carrier.meanwhile(nil)
            let early = await app.post("/mobile-auth/token", body)
            #expect(early.status == 200 && early.json["step"] == "mobileAuth" && early.json["outcome"] == nil)
            #expect(allowed(by: early).contains("mobileAuth.finish"))
        }
        #expect(await app.post("/mobile-auth/token", body).json["outcome"] == "succeeded")
        #expect(await app.post("/mobile-auth/token", body).json["outcome"] == "succeeded")
        #expect(world.carrier.redeemed.count == 1)
    }

    @Test(arguments: ["/cancel", "/mobile-auth/finish", "/mobile-auth", "/otp"])
    func `an answer after the attempt has ended proves nothing`(call: String) async throws {
        let (world, app, walk) = try await begun()
        world.carrier.meanwhile {
            let ended = await app.post(call, call.hasSuffix("finish") ? walk.giveUpBody : "{}")
            #expect(ended.status == 200)
        }
        let answer = await app.post("/mobile-auth/token", Self.body(walk))
        #expect(answer.status != 200)
        #expect(refusal(of: answer) == (call == "/cancel" ? "session_done" : "invalid_state"))
        #expect(await app.read().json["outcome"]?.string != "succeeded")
    }

    @Test func `an answer for a client that was revoked meanwhile proves nothing`() async throws {
        let (world, app, walk) = try await begun()
        let client = try #require(ClientID("sandbox"))
        world.carrier.meanwhile { _ = try? await world.store.revokeTenant(client, at: world.clock.now()) }
        #expect(await app.post("/mobile-auth/token", Self.body(walk)).status == 401)
        let session = try await world.store.session(.auth(try #require(AuthID(app.authID))))
        #expect(session?.proof == nil)
    }

    @Test func `a bad standing of the number fails the session`() async throws {
        let world = try await World()
        world.carrier.answer(.success(.verified(true)))
        let app = await world.native(
            #"{"possessionType":"mobile","phoneNumber":"\#(World.agretha)","checkReputation":true}"#)
        let walk = await app.beginMobileAuth()
        let answer = await app.post("/mobile-auth/token", Self.body(walk))
        #expect(answer.json["status"] == "done" && answer.json["outcome"] == "failed")
    }

    // MARK: fields

    @Test(arguments: [
        (#"{"operatorToken":"t","plmn":"26201"}"#, "field 'attemptId' is missing"),
        (
            #"{"attemptId":"x","operatorToken":"t","plmn":"26201"}"#,
            "field 'attemptId' must be the one that mobile-auth gave"
        ),
        (#"{"attemptId":"$","plmn":"26201"}"#, "field 'operatorToken' is missing"),
        (#"{"attemptId":"$","operatorToken":"","plmn":"26201"}"#, "field 'operatorToken' is missing"),
        (#"{"attemptId":"$","operatorToken":7,"plmn":"26201"}"#, "field 'operatorToken' must be a string"),
        (
            #"{"attemptId":"$","operatorToken":"a b","plmn":"26201"}"#,
            "field 'operatorToken' must be visible ASCII characters"
        ),
        (
            #"{"attemptId":"$","operatorToken":"\u00e9","plmn":"26201"}"#,
            "field 'operatorToken' must be visible ASCII characters"
        ),
        (#"{"attemptId":"$","operatorToken":"t"}"#, "field 'plmn' is missing"),
        (
            #"{"attemptId":"$","operatorToken":"t","plmn":"2620"}"#,
            "field 'plmn' must be MCC and MNC: five or six digits"
        ),
        (
            #"{"attemptId":"$","operatorToken":"t","plmn":"2620x"}"#,
            "field 'plmn' must be MCC and MNC: five or six digits"
        ),
        (
            #"{"attemptId":"$","operatorToken":"t","plmn":"31026"}"#,
            "field 'plmn' names a network whose tokens are not taken here"
        ),
        (#"{"attemptId":"$","operatorToken":"t","plmn":"26201","vfp":"x"}"#, "field 'vfp' is not known"),
    ]) func `names a bad field, and the attempt stays as it is`(template: String, message: String) async throws {
        let (world, app, walk) = try await begun()
        let body = template.split(separator: "$", omittingEmptySubsequences: false).joined(separator: walk.attempt)
        let answer = await app.post("/mobile-auth/token", body)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": 1001, "error": "invalid_request", "message": .string(message)])
        #expect(world.carrier.redeemed.isEmpty)
        #expect(await walk.follow() != nil)
    }

    @Test func `takes a token up to its length`() async throws {
        let (world, app, walk) = try await begun()
        let long = await app.post("/mobile-auth/token", Self.body(walk, token: String(repeating: "x", count: 3073)))
        #expect(long.json["message"]?.string == "field 'operatorToken' is longer than 3072 characters")
        let whole = String(repeating: "x", count: 3072)
        #expect(await app.post("/mobile-auth/token", Self.body(walk, token: whole)).json["outcome"] == "succeeded")
        #expect(world.carrier.redeemed == ["token " + whole])
    }
}
