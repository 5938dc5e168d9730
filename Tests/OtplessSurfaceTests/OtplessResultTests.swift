import HTTPServer
import Locks
import Engine
import Possession
import Sandbox
import StrictJSON
import TestSupport
import Testing
import Text
@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// The result of a request, and the owner of its token: `/auth/v1/status`, `/auth/v1/validate/token`, `/auth/userInfo`.
@Suite(.timeLimit(.minutes(60))) struct OtplessResultTests {
    private static let credentials = "&client_id=sandbox&client_secret=sandbox-secret"

    private func form(_ token: String, _ more: String = credentials) -> String { "token=\(token)\(more)" }

    // MARK: Status

    @Test func `tells how a request stands`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate(OtplessWorld.lorant, #","channels":["WHATSAPP"]"#).requestID
        let pending = await otpless.status(id)
        #expect(pending.json == ["status": "PENDING", "message": "the request is not verified yet"])
        _ = otpless.world.clock.advance(seconds: 10)
        let now = otpless.world.clock.now()
        _ = await otpless.verify("123456", id)
        _ = otpless.world.clock.advance(seconds: 10)
        let done = await otpless.status(id)
        let token = try #require(done.json["token"]?.string)
        #expect(token.utf8.count == 43)
        #expect(
            done.json == [
                "status": "SUCCESS", "token": .string(token), "completedAt": .string(now.rfc3339),
                "identities": [
                    [
                        "identityType": "MOBILE", "identityValue": "12001004014", "channel": "OTP",
                        "methods": ["WHATSAPP"], "verified": true, "verifiedAt": .string(now.rfc3339),
                    ]
                ],
            ])
    }

    @Test func `a request that came to nothing is declined`() async throws {
        let otpless = try await OtplessWorld()
        let wrong = await otpless.initiate().requestID
        for _ in 0..<5 { _ = await otpless.verify("999999", wrong) }
        #expect(await otpless.status(wrong).json["status"] == "DECLINE")
        let late = await otpless.initiate().requestID
        _ = otpless.world.clock.advance(seconds: 300)
        let declined = await otpless.status(late)
        #expect(declined.status == 200 && declined.json["status"] == "DECLINE" && declined.json["token"] == nil)
    }

    @Test func `an unknown request, another client's and another surface's have no status`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate().requestID
        let started = await otpless.world.start(#"{"phoneNumber":"2001004015","possessionType":"mobile"}"#)
        #expect(await otpless.status(id, as: "sandbox-2").errorCode == "7114")
        #expect(await otpless.status(started.correlationID).errorCode == "7114")
        #expect(await otpless.status("019b7907-8d58-7500-8000-00000000000f").errorCode == "7114")
        for id in ["mine", ""] { #expect(await otpless.status(id).errorCode == "7119") }
    }

    // MARK: Tokens

    @Test func `a token tells whose it is, as often as asked`() async throws {
        let otpless = try await OtplessWorld()
        let now = otpless.world.clock.now()
        let token = await otpless.token()
        let first = await otpless.validate(token)
        let second = await otpless.validate(token)
        #expect(first.status == 200 && first.json == second.json)
        let person = first.json
        #expect(person["token"] == .string(token) && person["status"] == "SUCCESS")
        #expect(person["timestamp"] == .string(now.rfc3339))
        let identity = person["identities"]?.array?.first?.object
        #expect(identity?["identityValue"] == "12001004014" && identity?["methods"] == ["SMS"])
        let user = try #require(person["userId"]?.string)
        #expect(user.hasPrefix("MO-") && user.utf8.count == 35)
        #expect(person["idToken"] == .string("signed-\(user)"))
    }

    @Test func `an ID token is for the client, and has what the libraries read`() async throws {
        let otpless = try await OtplessWorld()
        let now = otpless.world.clock.now()
        let token = await otpless.token()
        _ = await otpless.validate(token)
        let signed = try #require(otpless.idTokens.signed.withLock { $0.first })
        #expect(signed.issuer == World.publicURL + "/otpless" && signed.audience.text == "sandbox")
        #expect(signed.provenAt == now)
        let claims = Dictionary(uniqueKeysWithValues: signed.claims.map { ($0.name, $0.value) })
        #expect(
            claims == [
                "token": .text(token), "phone_number": .text("12001004014"), "phone_number_verified": .flag(true),
                "country_code": .text("+1"), "national_phone_number": .text("2001004014"),
                "authentication_details": .text(
                    #"{"phone":{"auth_state":"verified","mode":"SMS","country_code":"+1","phone_number":"2001004014"}}"#
                ),
            ])
    }

    @Test func `userInfo has its six members, and auth_time as a text`() async throws {
        let otpless = try await OtplessWorld()
        let now = otpless.world.clock.now()
        let token = await otpless.token()
        let told = await otpless.userInfo(form(token))
        #expect(told.status == 200 && told.header("Cache-Control") == "no-store")
        #expect(told.json["auth_time"] == .string(String(now.seconds)))
        #expect(told.json["phone_number"] == "12001004014" && told.json["national_phone_number"] == "2001004014")
        #expect(told.json["country_code"] == "+1" && told.json["email"] == .null && told.json["name"] == .null)
        let user = await otpless.validate(token).json["userId"]
        #expect(told.json["sub"] == user)
    }

    @Test func `an address has no number`() async throws {
        var options = World.Options()
        options.emails = SandboxEmails(World.users)
        let otpless = try await OtplessWorld(options)
        let id = await otpless.post("/auth/v1/initiate/otp", #"{"email":"ada@example.com"}"#).requestID
        _ = await otpless.verify(try #require(otpless.sentCodes.last ?? nil), id)
        let done = await otpless.status(id)
        let identity = done.json["identities"]?.array?.first?.object
        #expect(identity?["identityType"] == "EMAIL" && identity?["identityValue"] == "ada@example.com")
        #expect(identity?["methods"] == ["EMAIL"])
        let told = await otpless.userInfo(form(done.json["token"]?.string ?? "")).json
        #expect(told["email"] == "ada@example.com" && told["email_verified"] == true)
        for name in ["phone_number", "country_code", "national_phone_number"] { #expect(told[name] == .null) }
        #expect(told["phone_number_verified"] == false)
    }

    @Test func `a person has one id at a client, and another at another`() async throws {
        let otpless = try await OtplessWorld()
        func user(_ number: String, _ client: String) async -> String? {
            let token = await otpless.token(number, as: client)
            return await otpless.validate(token, as: client).json["userId"]?.string
        }
        let first = await user(OtplessWorld.lorant, "sandbox")
        let again = await user(OtplessWorld.lorant, "sandbox")
        let another = await user("+12001004015", "sandbox")
        let elsewhere = await user(OtplessWorld.lorant, "sandbox-2")
        #expect(first != nil && again == first && another != first && elsewhere != first)
    }

    @Test(arguments: [(3599, true), (3600, false)])
    func `a token is good for an hour after the success`(age: Int64, isTaken: Bool) async throws {
        let otpless = try await OtplessWorld()
        let token = await otpless.token()
        _ = otpless.world.clock.advance(seconds: age)
        for answer in [await otpless.validate(token), await otpless.userInfo(form(token))] {
            #expect(answer.status == (isTaken ? 200 : 401) && answer.errorCode == (isTaken ? nil : "7301"))
        }
    }

    @Test func `nobody but the client's own backend can use a token`() async throws {
        let otpless = try await OtplessWorld()
        let token = await otpless.token()
        #expect(await otpless.validate(token, as: "sandbox-2").errorCode == "7301")
        let other = await otpless.userInfo(form(token, "&client_id=sandbox-2&client_secret=sandbox-2-secret"))
        #expect(other.status == 401 && other.errorCode == "7301")
        #expect(otpless.idTokens.signed.withLock { $0.isEmpty })
    }

    @Test func `a token that was changed anywhere, or made up, is refused`() async throws {
        let otpless = try await OtplessWorld()
        let token = await otpless.token()
        for index in stride(from: 0, to: 43, by: 6) {
            var bytes = Array(token.utf8)
            bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(await otpless.validate(String(decoding: bytes, as: UTF8.self)).errorCode == "7301", "\(index)")
        }
        for text in ["x", token + "A", String(token.dropLast()), token + "=", "é", String(repeating: "A", count: 43)] {
            #expect(await otpless.validate(text).errorCode == "7301", "\(text)")
        }
        #expect(await otpless.validate("").errorCode == "7101")
        #expect(await otpless.userInfo("client_id=sandbox&client_secret=sandbox-secret").errorCode == "7101")
    }

    /// The token of a session can be computed only from the key, so a request that has not succeeded has none to guess from.
    @Test func `a request that has not succeeded has no token`() async throws {
        let otpless = try await OtplessWorld()
        let id = await otpless.initiate().requestID
        let session = try #require(CorrelationID(id))
        let client = try #require(ClientID("sandbox"))
        let token = OneTapToken.text(of: session, for: client, otpless.world.engine.crypto.keyed)
        #expect(await otpless.validate(token).errorCode == "7301")
        _ = await otpless.verify("123456", id)
        #expect(await otpless.validate(token).status == 200)
    }

    @Test func `a token of a session of another surface is refused`() async throws {
        let otpless = try await OtplessWorld()
        let started = await otpless.world.start(#"{"phoneNumber":"2001004014","possessionType":"mobile"}"#)
        let session = try #require(CorrelationID(started.correlationID))
        let client = try #require(ClientID("sandbox"))
        let token = OneTapToken.text(of: session, for: client, otpless.world.engine.crypto.keyed)
        #expect(await otpless.validate(token).errorCode == "7301")
    }

    // MARK: Credentials of userInfo

    @Test func `takes id and secret from the form or the header`() async throws {
        let otpless = try await OtplessWorld()
        let token = await otpless.token()
        let right = OtplessWorld.headers("sandbox", "sandbox-secret")
        #expect(await otpless.userInfo(form(token, ""), right).status == 200)
        #expect(await otpless.userInfo(form(token, "&client_id=nobody&client_secret=x"), right).status == 200)
        for missing in ["", "&client_id=sandbox", "&client_secret=sandbox-secret", "&client_id=&client_secret="] {
            let answer = await otpless.userInfo(form(token, missing))
            #expect(answer.status == 401 && answer.errorCode == "7012", "\(missing)")
        }
        #expect(await otpless.userInfo(form(token), [right[0]]).errorCode == "7012")
        #expect(await otpless.userInfo(form(token), OtplessWorld.headers("sandbox", "wrong")).errorCode == "7002")
        #expect(await otpless.userInfo(form(token, "&client_id=sandbox&client_secret=no")).errorCode == "7002")
    }

    @Test func `looks at no parameter of the URL`() async throws {
        let otpless = try await OtplessWorld()
        let token = await otpless.token()
        let request = Request(
            method: .post, path: "/otpless/auth/userInfo", rawQuery: form(token),
            headers: Headers([("Content-Type", OtplessWorld.form)]), body: Array("token=\(token)".utf8), id: "query")
        #expect(await otpless.client.send(request).errorCode == "7012")
    }

    @Test func `reads a form only, each field once`() async throws {
        let otpless = try await OtplessWorld()
        let token = await otpless.token()
        #expect(await otpless.userInfo(form(token), type: "application/json").status == 415)
        #expect(await otpless.userInfo(form(token), type: nil).status == 415)
        let twice = await otpless.userInfo(form(token) + "&token=\(token)")
        #expect(twice.status == 400 && twice.errorCode == "7101" && !twice.text.contains(token))
        let big = await otpless.userInfo(form(token) + "&more=" + String(repeating: "a", count: 16_384))
        #expect(big.status == 413 && big.errorCode == "7101")
    }

    // MARK: Discovery

    @Test func `discovery names every place below the prefix`() async throws {
        let otpless = try await OtplessWorld()
        let found = await otpless.get("/.well-known/openid-configuration")
        let base = World.publicURL + "/otpless"
        #expect(found.status == 200 && found.header("Cache-Control") == "public, max-age=300")
        #expect(
            found.json == [
                "issuer": .string(base), "authorization_endpoint": .string(base + "/auth/v1/authorize"),
                "token_endpoint": .string(base + "/auth/token"),
                "userinfo_endpoint": .string(base + "/auth/userInfo"),
                "jwks_uri": .string(base + "/.well-known/jwks"), "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
            ])
    }

    @Test func `the list of keys is empty and kept by nobody until a token is made`() async throws {
        let otpless = try await OtplessWorld()
        let none = await otpless.get("/.well-known/jwks")
        #expect(none.status == 200 && none.json == ["keys": []] && none.header("Cache-Control") == "no-store")
        let token = await otpless.token()
        _ = await otpless.validate(token)
        let one = await otpless.get("/.well-known/jwks")
        #expect(one.json["keys"]?.array?.count == 1 && one.header("Cache-Control") == "public, max-age=300")
    }
}
