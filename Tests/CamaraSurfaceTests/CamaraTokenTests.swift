import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import CamaraSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Clients that get a token, and the calls that it is good for.
@Suite(.timeLimit(.minutes(60))) struct CamaraTokenTests {
    @Test func `a signed assertion gets a token, by each key of the client`() async throws {
        let camara = try await CamaraWorld()
        for key in [UInt8(1), 2] {
            let issued = await camara.ask(camara.assertion("key\(key)", key: key))
            #expect(issued.status == 200 && issued.header("cache-control") == "no-store")
            #expect(issued.json["token_type"] == "Bearer" && issued.json["expires_in"] == 3600)
            #expect(issued.json["scope"] == .string(CamaraWorld.scope))
            let token = try #require(issued.json["access_token"]?.string)
            #expect(await camara.send(token).status == 200)
        }
        let toIssuer = camara.assertion("issuer", audience: World.publicURL + "/camara")
        #expect(await camara.ask(toIssuer).status == 200)
    }

    @Test func `an assertion is taken once, and only as it must be`() async throws {
        let camara = try await CamaraWorld()
        let once = camara.assertion("once")
        #expect(await camara.ask(once).status == 200)
        let bad = [
            once, camara.assertion("a", key: 3), camara.assertion("b", audience: World.publicURL + "/token"),
            camara.assertion("c", of: "nobody"), camara.assertion("d", seconds: -1), "no assertion",
        ]
        for assertion in bad {
            let refused = await camara.ask(assertion)
            #expect(refused.status == 401 && refused.json["error"] == "invalid_client", "\(assertion)")
        }
        let named = await camara.ask(camara.assertion("e"), more: "&client_id=other")
        #expect(named.json["error"] == "invalid_client")
        #expect(await camara.ask(camara.assertion("f"), more: "&client_id=sandbox").status == 200)
    }

    @Test func `one of two servers takes an assertion, and takes one later that it could not note`() async throws {
        let names = InMemoryUsedNames()
        let first = try await CamaraWorld(usedNames: names)
        let second = try await CamaraWorld(on: first.world, usedNames: names)
        let once = first.assertion("once")
        #expect(await first.ask(once).status == 200)
        #expect(await second.ask(once).json["error"] == "invalid_client")
        let other = first.assertion("other")
        names.fail(by: .overloaded)
        for _ in 0..<2 { #expect(await second.ask(other).status == 503) }
        names.fail(by: nil)
        #expect(await second.ask(other).status == 200)
        #expect(await first.ask(other).status == 401)
        #expect(await first.ask(first.assertion("forged", key: 3)).status == 401)
        #expect(names.count == 2, "what no client has signed is not noted")
    }

    @Test(arguments: [
        "", "one-time-password-sms:send-validate", "dpv:FraudPreventionAndDetection",
        "dpv:A dpv:B one-time-password-sms:send-validate", "dpv:A kyc-match:match", "dpv:A number-verification:all",
    ]) func `a scope names one purpose, and what there is`(scope: String) async throws {
        let camara = try await CamaraWorld()
        let refused = await camara.ask(camara.assertion(), scope: scope)
        #expect(refused.status == 400)
        #expect(refused.json["error"] == .string(scope.isEmpty ? "invalid_request" : "invalid_scope"))
    }

    @Test func `other grants and other ways to authenticate are named`() async throws {
        let camara = try await CamaraWorld()
        let grant = await camara.ask(camara.assertion(), grant: "authorization_code")
        #expect(grant.json["error"] == "unsupported_grant_type")
        let secret = await camara.client.send(
            World.request(
                .post, "/camara/token", "grant_type=client_credentials&client_id=sandbox&client_secret=sandbox-secret",
                contentType: "application/x-www-form-urlencoded"))
        #expect(secret.status == 400 && secret.json["error"] == "invalid_request")
    }

    @Test func `a call needs a token of this surface that is alive`() async throws {
        let camara = try await CamaraWorld()
        let token = await camara.token()
        let platform = try camara.world.engine.crypto.tokens.issueAccessToken(
            for: try #require(ClientID("sandbox")), jti: [1], at: camara.world.clock.now())
        for wrong in [nil, "", "no", platform] as [String?] {
            let refused = await camara.post("send-code", #"{"phoneNumber":"+12001004014","message":"{{code}}"}"#, wrong)
            #expect(refused.status == 401 && refused.camaraCode == "UNAUTHENTICATED")
            #expect(refused.header("www-authenticate") == "Bearer")
        }
        _ = camara.world.clock.advance(seconds: 3600)
        #expect(await camara.send(token).status == 401)
        #expect(camara.world.gateway.sent.isEmpty)
    }

    @Test func `a token without the scope is refused, and one of a revoked client`() async throws {
        let camara = try await CamaraWorld()
        let grant = ScopedGrant(
            clientID: try #require(ClientID("sandbox")), audience: World.publicURL + "/camara", scopes: ["dpv:A"])
        let bare = try camara.world.engine.crypto.tokens.issueScopedToken(
            grant, lifetime: .seconds(60), jti: [1], at: camara.world.clock.now())
        let refused = await camara.send(bare)
        #expect(refused.status == 403 && refused.camaraCode == "PERMISSION_DENIED")
        let token = await camara.token()
        #expect(try await camara.world.store.revokeTenant(grant.clientID, at: camara.world.clock.now()))
        #expect(await camara.send(token).status == 401)
        #expect(await camara.ask(camara.assertion("after")).status == 401)
    }

    @Test func `says where tokens come from`() async throws {
        let camara = try await CamaraWorld()
        let found = await camara.client.send(
            World.request(.get, "/camara/.well-known/openid-configuration", "", contentType: nil))
        #expect(found.status == 200 && found.json["issuer"] == .string(World.publicURL + "/camara"))
        #expect(found.json["token_endpoint"] == .string(CamaraWorld.tokenURL))
        #expect(found.json["token_endpoint_auth_methods_supported"] == ["private_key_jwt"])
        let metadata = await camara.client.send(
            World.request(.get, "/.well-known/oauth-authorization-server/camara", "", contentType: nil))
        #expect(metadata.status == 200 && metadata.json == found.json)
    }

    /// OpenID Connect Discovery section 3 and RFC 8414 section 2 list the members. They forbid empty lists.
    @Test func `the metadata has all that the specifications demand`() async throws {
        let camara = try await CamaraWorld()
        let found = await camara.client.send(
            World.request(.get, "/camara/.well-known/openid-configuration", "", contentType: nil)
        ).json
        for name in ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"] {
            #expect(found[name]?.string?.hasPrefix(World.publicURL) == true, "\(name)")
        }
        for name in ["response_types_supported", "subject_types_supported", "scopes_supported"] {
            #expect(found[name]?.array?.isEmpty == false, "\(name)")
        }
        #expect(found["id_token_signing_alg_values_supported"]?.array?.contains("RS256") == true)
        #expect(found["scopes_supported"]?.array?.contains("openid") == true)
        #expect(found.members.allSatisfy { $0.value.array?.isEmpty != true })
        let path = try #require(found["authorization_endpoint"]?.string).replacing(World.publicURL, with: "")
        let asked = await camara.client.send(World.request(.get, path, "", contentType: nil))
        #expect(asked.status == 400 && asked.json["error"] == "unsupported_response_type")
    }
}
