import Locks
import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Callers that may act for a session: tokens, proofs, Bearer (client protocol 4.3).
@Suite struct ClientGateTests {
    private static let lorant = #"{"possessionType":"mobile","phoneNumber":"2001004014","allowOTPRetry":true}"#

    @Test func `belongs to the first key`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        let app = App(world, started)
        #expect(await app.redeem().status == 200)
        let thief = App(world, started, key: FakeKey(2))
        for answer in [await thief.redeem(), await thief.post("/otp"), await thief.read()] {
            #expect(answer.status == 401 && refusal(of: answer) == "token_already_used" && answer.json["code"] == 20003)
            #expect(answer.header("www-authenticate") == #"DPoP error="invalid_token", algs="ES256""#)
            #expect(answer.json["state"] == nil)
        }
        let bearer = App(world, started, key: nil)
        #expect(refusal(of: await bearer.read()) == "token_already_used")
        #expect(allowed(by: await app.redeem()) == ["otp.start", "cancel"], "the refused calls moved nothing")
        let events = try await world.store.events(of: CorrelationID(started.correlationID)!)
        #expect(events.contains { $0.kind == .secondKeyRefused })
        #expect(await app.post("/otp").status == 200)
    }

    @Test func `says in a sandbox what is wrong with a token, and in live nothing`() async throws {
        for isSandbox in [true, false] {
            var options = World.Options()
            options.isSandbox = isSandbox
            let world = try await World(options)
            let started = await world.start(Self.lorant)
            func message(_ token: String, scheme: String = "DPoP") async -> String? {
                let answer = await world.client.send(
                    World.request(
                        .post, "/client/v1/session", #"{"platform":"web"}"#, [("Authorization", "\(scheme) \(token)")]))
                #expect(answer.status == 401 && refusal(of: answer) == "invalid_token")
                return answer.json["message"]?.string
            }
            let access = World.bearer().value.dropFirst("Bearer ".utf8.count)
            let gone = "auth|\(AuthID(high: 7, low: 7).text)|n|99999999999999"
            var hints = [
                (
                    await message(String(access)),
                    "this is an access token, which is for backends: send the authToken of the session"
                ),
                (
                    await message("nonsense"),
                    "this is no auth token of this server: it was changed, or is of another server or database"
                ),
                (await message(gone, scheme: "Bearer"), "the session of this auth token is gone"),
                (
                    await message("x", scheme: "Basic"),
                    "the header must be Authorization: DPoP and the auth token, in a sandbox also Authorization: Bearer"
                ),
            ]
            _ = world.clock.advance(seconds: 901)
            hints.append((await message(started.token), "the auth token has expired: the backend starts a new session"))
            for (message, hint) in hints {
                #expect(message == (isSandbox ? hint : "the token is missing or not valid"))
            }
        }
    }

    @Test func `takes a proof once`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        #expect(await app.post("/otp", jti: "same").status == 200)
        let replay = await app.post("/otp/resend", jti: "same")
        #expect(replay.status == 401 && refusal(of: replay) == "invalid_dpop_proof" && replay.json["code"] == 20002)
        #expect(
            replay.header("www-authenticate")
                == #"DPoP error="invalid_dpop_proof", error_description="it was used before", algs="ES256""#)
        #expect(replay.json["message"] == "the DPoP proof is not valid: it was used before")
        #expect(world.gateway.sent.count == 1)
    }

    @Test func `takes exactly one token and one proof that fits the call`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        let path = "/client/v1/session"
        let target = World.publicURL + path
        func call(_ headers: [(name: String, value: String)], host: String? = nil) async -> Response {
            var request = World.request(.post, path, #"{"platform":"web"}"#, headers)
            request.host = host
            return await world.client.send(request)
        }
        func proof(_ method: String = "POST", _ target: String) -> (name: String, value: String) {
            ("DPoP", FakeKey(1).dpop(method, target, token: app.token, jti: "\(method)\(target)"))
        }
        let token = (name: "Authorization", value: "DPoP \(app.token)")
        let missing = await call([])
        #expect(missing.status == 401 && refusal(of: missing) == "invalid_token" && missing.json["code"] == 20001)
        #expect(missing.header("www-authenticate") == #"DPoP algs="ES256""#)
        let bad: [[(name: String, value: String)]] = [
            [("Authorization", "DPoP nonsense"), proof("POST", target)], [token, token, proof("POST", target)],
            [("Authorization", "DPoP"), proof("POST", target)], [("Authorization", "Basic \(app.token)")],
            [World.bearer()],
        ]
        for headers in bad { #expect(refusal(of: await call(headers)) == "invalid_token") }
        let unfit: [[(name: String, value: String)]] = [
            [token], [token, proof("POST", target), proof("POST", target)], [token, proof("GET", target)],
            [token, proof("POST", target + "/otp")], [token, ("DPoP", "nonsense")],
            [token, proof("POST", "http://localhost:9/client/v1/session")],
            [("Authorization", "Bearer \(app.token)"), proof("POST", target)],
        ]
        for headers in unfit { #expect(refusal(of: await call(headers)) == "invalid_dpop_proof") }
        #expect(
            refusal(of: await call([token, proof("POST", "http://evil.example" + path)], host: "evil.example"))
                == "invalid_dpop_proof")
        #expect(await call([token, proof("POST", "http://localhost:9" + path)], host: "localhost:9").status == 200)
    }

    @Test func `stays with Bearer once it began so, in sandbox alone`() async throws {
        let world = try await World()
        let started = await world.start(Self.lorant)
        let curl = App(world, started, key: nil)
        #expect(await curl.redeem().status == 200)
        #expect(refusal(of: await App(world, started).read()) == "token_already_used")
        _ = await curl.post("/otp")
        #expect(await curl.post("/otp/verify", #"{"code":"1234"}"#).json["outcome"] == "succeeded")
        var options = World.Options()
        options.isSandbox = false
        let live = try await World(options)
        let answer = await App(live, await live.start(Self.lorant), key: nil).redeem()
        #expect(answer.status == 401 && refusal(of: answer) == "invalid_token")
    }

    @Test func `ends with the token`() async throws {
        let world = try await World()
        let app = App(world, await world.start(Self.lorant))
        _ = await app.redeem()
        _ = world.clock.advance(seconds: 899)
        #expect(await app.read().status == 200)
        _ = world.clock.advance(seconds: 1)
        #expect(refusal(of: await app.read()) == "invalid_token")
    }
}
