import Outbound
import Engine
import Possession
import Testing
import Text

@Suite struct CAMARAOperatorTests {
    private static let code = OperatorGrant.code(Fixture.code, verifier: Fixture.verifier)

    private func identify(
        _ carrier: CAMARAOperator, by grant: OperatorGrant = Self.code, claimed: PhoneNumber? = nil
    ) async -> Result<OperatorAnswer, OperatorFault> {
        do throws(OperatorFault) {
            return .success(try await carrier.identify(grant, claimed: claimed))
        } catch { return .failure(error) }
    }

    private func fields(_ text: some StringProtocol) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: text.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), String(parts[1]))
            })
    }

    // MARK: The device's hop

    @Test func `asks for a number with every parameter encoded`() {
        let url = Script([]).makeOperator().authorizeURL(
            OperatorRequest(state: "a.b-c_d~", codeChallenge: "E9Melhoa", claimed: nil))
        #expect(
            url == "https://operator.example/authorize?response_type=code&client_id=holdfast"
                + "&redirect_uri=https%3A%2F%2Fdevice.example%2Fma%2Fv1%2Fcb"
                + "&scope=openid%20dpv%3AFraudPreventionAndDetection%20number-verification%3Adevice-phone-number%3Aread"
                + "&state=a.b-c_d~&prompt=none&code_challenge=E9Melhoa&code_challenge_method=S256")
    }

    @Test func `asks for a check under the other scope, and names a simulated connection`() throws {
        var settings = Fixture.settings()
        settings.authorizeURL += "?tenant=1"
        settings.clientID = "a&b=c+d%\u{E9}"
        var request = OperatorRequest(state: "s", codeChallenge: "c", claimed: Fixture.number)
        let real = try #require(Script([]).makeOperator(settings).authorizeURL(request))
        #expect(!real.contains(Fixture.number.e164.dropFirst()), "a real network knows and must not be told")
        request.loginHint = Fixture.number
        let url = try #require(Script([]).makeOperator(settings).authorizeURL(request))
        #expect(url.hasPrefix("https://operator.example/authorize?tenant=1&response_type=code&"))
        #expect(url.contains("&client_id=a%26b%3Dc%2Bd%25%C3%A9&"))
        #expect(url.contains("%20number-verification%3Averify&"))
        #expect(url.hasSuffix("&login_hint=tel%3A%2B12001004016"))
    }

    // MARK: Calls

    @Test func `redeems the code and reads the number`() async throws {
        let script = Script([.token, .answer(200, #"{"devicePhoneNumber":"+12001004016"}"#)])
        #expect(await identify(script.makeOperator()) == .success(.number(Fixture.number)))
        let requests = script.requests
        #expect(requests.map(\.method) == ["POST", "GET"])
        #expect(
            requests.map(\.url) == [
                "https://operator.example/token",
                "https://api.operator.example/number-verification/v2/device-phone-number",
            ])
        #expect(requests[0].headers.map(\.value) == ["application/x-www-form-urlencoded", "application/json"])
        #expect(
            fields(String(decoding: requests[0].body, as: UTF8.self)) == [
                "grant_type": "authorization_code", "code": Fixture.code,
                "redirect_uri": "https%3A%2F%2Fdevice.example%2Fma%2Fv1%2Fcb", "code_verifier": Fixture.verifier,
                "client_id": "holdfast",
                "client_assertion_type": "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer",
                "client_assertion": "assertion%20for%20holdfast%20at%20https%3A%2F%2Foperator.example%2Ftoken%2C"
                    + "%2016%20bytes%2C%201767261600",
            ])
        #expect(requests[1].body.isEmpty)
        #expect(
            requests[1].headers.map { "\($0.name): \($0.value)" } == [
                "Authorization: Bearer \(Fixture.accessToken)", "Accept: application/json",
                "x-correlator: " + String(repeating: "ab", count: 16),
            ])
        #expect(requests.allSatisfy { $0.maxResponseBytes == 65_536 && $0.timeout == .seconds(3) })
    }

    @Test(arguments: [nil, Fixture.number])
    func `redeems a token of the phone by a grant of its own`(claimed: PhoneNumber?) async throws {
        let answer =
            claimed == nil ? #"{"devicePhoneNumber":"+12001004016"}"# : #"{"devicePhoneNumberVerified":true}"#
        let script = Script([.token, .answer(200, answer)])
        let token = try #require(OperatorToken("eyJ0.tok+en/=~"))
        let result = await identify(script.makeOperator(), by: .token(token), claimed: claimed)
        #expect(result == .success(claimed == nil ? .number(Fixture.number) : .verified(true)))
        let scope = claimed == nil ? "device-phone-number%3Aread" : "verify"
        #expect(
            fields(String(decoding: script.requests[0].body, as: UTF8.self)) == [
                "grant_type": "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
                "assertion": "grant%20of%20holdfast%20for%20operatortoken%3AeyJ0.tok%2Ben%2F%3D~%2C"
                    + "%20dpv%3AFraudPreventionAndDetection%20number-verification%3A\(scope)"
                    + "%20at%20https%3A%2F%2Foperator.example%2Ftoken%2C%2016%20bytes%2C%201767261600",
            ])
        #expect(script.requests[1].url.hasSuffix(claimed == nil ? "/device-phone-number" : "/verify"))
    }

    @Test func `a token that the operator refuses says nothing against it`() async throws {
        var settings = Fixture.settings()
        settings.breakerFailures = 1
        let script = Script([.answer(400, #"{"error":"invalid_grant"}"#), .fault(.timeout)])
        let carrier = script.makeOperator(settings)
        let token = OperatorGrant.token(try #require(OperatorToken("secret-token")))
        let refused = await identify(carrier, by: token)
        #expect(refused == .failure(.failed(reason: "token: 400 invalid_grant")) && !"\(refused)".contains("secret"))
        #expect(await identify(carrier, by: token) == .failure(.timeout))
        #expect(await identify(carrier, by: token) == .failure(.circuitOpen))
        #expect("\(token)".contains("secret") == false)
    }

    @Test(arguments: [true, false]) func `checks a claimed number`(isSame: Bool) async throws {
        let script = Script([.token, .answer(200, #"{"devicePhoneNumberVerified":\#(isSame)}"#)])
        #expect(await identify(script.makeOperator(), claimed: Fixture.number) == .success(.verified(isSame)))
        let request = try #require(script.requests.last)
        #expect(request.method == "POST")
        #expect(request.url == "https://api.operator.example/number-verification/v2/verify")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"phoneNumber":"+12001004016"}"#)
        #expect(request.headers.contains { $0.name == "Content-Type" && $0.value == "application/json" })
    }

    @Test func `takes what else a token answer says`() async {
        let script = Script([
            .answer(200, #"{"id_token":"x","token_type":"bearer","expires_in":300,"scope":"a","access_token":"t"}"#),
            .answer(200, #"{"devicePhoneNumber":"+12001004016","more":[1]}"#),
        ])
        #expect(await identify(script.makeOperator()) == .success(.number(Fixture.number)))
    }

    // MARK: Failures

    /// Answer to one call, fault that is made of it, and whether it counts against the operator.
    struct Failure: Sendable, CustomTestStringConvertible {
        let step: Script.Step
        let fault: OperatorFault
        var counts = true

        init(_ step: Script.Step, _ reason: String, counts: Bool = true) {
            self.init(step, .failed(reason: reason), counts: counts)
        }

        init(_ step: Script.Step, _ fault: OperatorFault, counts: Bool = true) {
            self.step = step
            self.fault = fault
            self.counts = counts
        }

        var testDescription: String { "\(fault)" }
    }

    private static let long = String(repeating: "t", count: 8193)

    private static let tokenFailures: [Failure] = [
        Failure(.fault(.timeout), .timeout), Failure(.fault(.connect), "token: no connection"),
        Failure(.fault(.tooLarge), "token: the answer is too large"),
        Failure(.fault(.failed(reason: "TLS was not agreed on")), "token: TLS was not agreed on"),
        Failure(.fault(.cancelled), "token: cancelled", counts: false),
        Failure(.answer(500, ""), "token: 500"), Failure(.answer(503, "<html>"), "token: 503"),
        Failure(.answer(302, ""), "token: 302"), Failure(.answer(204, ""), "token: 204"),
        Failure(.answer(201, #"{"access_token":"t","token_type":"Bearer"}"#), "token: 201"),
        Failure(.answer(401, #"{"error":"invalid_client"}"#), "token: 401 invalid_client"),
        Failure(.answer(400, #"{"error":"invalid_grant"}"#), "token: 400 invalid_grant", counts: false),
        // To a forged code some operators say so.
        Failure(.answer(401, ""), "token: 401", counts: false),
        Failure(.answer(401, #"{"error":"invalid_grant"}"#), "token: 401 invalid_grant", counts: false),
        Failure(.answer(403, #"{"error":"access_denied"}"#), "token: 403 access_denied", counts: false),
        Failure(.answer(429, ""), "token: 429"),
        Failure(.answer(500, #"{"error":"invalid_grant"}"#), "token: 500 invalid_grant"),
        Failure(.answer(400, #"{"error":"unauthorized_client"}"#), "token: 400 unauthorized_client"),
        // A text that is not a code is not repeated.
        Failure(.answer(400, #"{"error":"12001004016"}"#), "token: 400", counts: false),
        Failure(.answer(400, #"{"error":"bad token SlAV32hkKG"}"#), "token: 400", counts: false),
        Failure(.answer(400, #"{"error":""}"#), "token: 400", counts: false),
        Failure(.answer(400, #"{"error":7}"#), "token: 400", counts: false),
        Failure(.answer(400, #"{"error":"\#(String(repeating: "a", count: 81))"}"#), "token: 400", counts: false),
        Failure(.answer(400, #"{"error":"a","error":"b"}"#), "token: 400", counts: false),
        Failure(.answer(200, ""), "token: 200 without a JSON object"),
        Failure(.answer(200, "[]"), "token: 200 without a JSON object"),
        Failure(.answer(200, #"{"access_token":"t","token_type":"Bearer"} x"#), "token: 200 without a JSON object"),
        Failure(
            .answer(200, #"{"access_token":"t","access_token":"u","token_type":"Bearer"}"#),
            "token: 200 without a JSON object"),
        Failure(.answer(200, "{}"), "token: 200 with another token_type"),
        Failure(.answer(200, #"{"access_token":"t"}"#), "token: 200 with another token_type"),
        Failure(.answer(200, #"{"access_token":"t","token_type":"DPoP"}"#), "token: 200 with another token_type"),
        Failure(.answer(200, #"{"token_type":"Bearer"}"#), "token: 200 without a usable access_token"),
        Failure(
            .answer(200, #"{"access_token":"","token_type":"Bearer"}"#), "token: 200 without a usable access_token"),
        Failure(.answer(200, #"{"access_token":5,"token_type":"Bearer"}"#), "token: 200 without a usable access_token"),
        Failure(
            .answer(200, #"{"access_token":"a b","token_type":"Bearer"}"#), "token: 200 without a usable access_token"),
        Failure(
            .answer(200, #"{"access_token":"a\r\nX: 1","token_type":"Bearer"}"#),
            "token: 200 without a usable access_token"),
        Failure(
            .answer(200, #"{"access_token":"\#(long)","token_type":"Bearer"}"#),
            "token: 200 without a usable access_token"),
    ]

    @Test(arguments: tokenFailures) func `names a failure at the token endpoint`(failure: Failure) async {
        let script = Script([failure.step])
        await expect(failure, script, claimed: nil)
        #expect(script.requests.count == 1)
    }

    private static let notOnNetwork = "NUMBER_VERIFICATION.USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK"

    /// With the name of the call left out.
    private static let apiFailures: [Failure] = [
        Failure(.fault(.timeout), .timeout), Failure(.fault(.connect), "no connection"),
        Failure(.fault(.tooLarge), "the answer is too large"),
        Failure(.fault(.cancelled), "cancelled", counts: false),
        Failure(.answer(403, #"{"status":403,"code":"\#(notOnNetwork)","message":"m"}"#), .notOnNetwork, counts: false),
        Failure(.answer(401, #"{"code":"\#(notOnNetwork)"}"#), "401 \(notOnNetwork)", counts: false),
        // A caller that took the scope out of the way to its code.
        Failure(.answer(403, #"{"code":"PERMISSION_DENIED"}"#), "403 PERMISSION_DENIED", counts: false),
        Failure(.answer(401, #"{"code":"UNAUTHENTICATED"}"#), "401 UNAUTHENTICATED", counts: false),
        Failure(.answer(400, #"{"code":"INVALID_ARGUMENT"}"#), "400 INVALID_ARGUMENT", counts: false),
        Failure(.answer(403, "no JSON"), "403", counts: false),
        Failure(.answer(403, #"{"code":"+12001004016"}"#), "403", counts: false),
        Failure(.answer(429, #"{"code":"TOO_MANY_REQUESTS"}"#), "429 TOO_MANY_REQUESTS"),
        Failure(.answer(500, ""), "500"), Failure(.answer(307, ""), "307"),
        Failure(.answer(200, ""), "200 without a JSON object"),
        Failure(.answer(200, "null"), "200 without a JSON object"),
    ]

    @Test(arguments: apiFailures) func `names a failure of either call`(failure: Failure) async {
        for (call, claimed) in [("device-phone-number", nil), ("verify", Fixture.number)] {
            var fault = failure.fault
            if case .failed(let reason) = fault { fault = .failed(reason: "\(call): \(reason)") }
            await expect(
                Failure(failure.step, fault, counts: failure.counts), Script([.token, failure.step]), claimed: claimed)
        }
    }

    @Test(arguments: [
        "{}", #"{"devicePhoneNumber":""}"#, #"{"devicePhoneNumber":"12001004016"}"#,
        #"{"devicePhoneNumber":"+0123456"}"#, #"{"devicePhoneNumber":"+1200100401612345"}"#,
        #"{"devicePhoneNumber":12001004016}"#, #"{"devicePhoneNumber":null}"#,
        #"{"devicePhoneNumber":"tel:+12001004016"}"#, #"{"phoneNumber":"+12001004016"}"#,
    ]) func `takes nothing but E.164 for a number`(body: String) async {
        let failure = Failure(.answer(200, body), "device-phone-number: 200 without an E.164 number")
        await expect(failure, Script([.token, failure.step]), claimed: nil)
    }

    @Test(arguments: [
        "{}", #"{"devicePhoneNumberVerified":"true"}"#, #"{"devicePhoneNumberVerified":1}"#,
        #"{"devicePhoneNumberVerified":null}"#, #"{"verified":true}"#,
    ]) func `takes nothing but a boolean for a verdict`(body: String) async {
        let failure = Failure(.answer(200, body), "verify: 200 without devicePhoneNumberVerified")
        await expect(failure, Script([.token, failure.step]), claimed: Fixture.number)
    }

    /// One such failure opens a circuit that opens at the first, or leaves it closed.
    private func expect(_ failure: Failure, _ script: Script, claimed: PhoneNumber?) async {
        var settings = Fixture.settings()
        settings.breakerFailures = 1
        let carrier = script.makeOperator(settings)
        #expect(await identify(carrier, claimed: claimed) == .failure(failure.fault))
        #expect(carrier.isAvailable != failure.counts)
        let told = "\(failure.fault)"
        for secret in [Fixture.code, Fixture.verifier, Fixture.accessToken, "2001004016", "assertion"] {
            #expect(!told.contains(secret))
        }
    }

    @Test func `asks nobody when it cannot sign`() async {
        let script = Script([.token])
        var settings = Fixture.settings()
        settings.breakerFailures = 1
        let carrier = script.makeOperator(settings, assertions: FakeAssertions(fails: true))
        #expect(
            await identify(carrier)
                == .failure(.failed(reason: "token: an assertion could not be made")))
        #expect(script.requests.isEmpty)
        #expect(carrier.isAvailable)
    }

    // MARK: Time

    @Test func `gives the second call what is left of the whole`() async {
        var settings = Fixture.settings()
        settings.callTimeout = .seconds(3)
        settings.identifyTimeout = .seconds(5)
        var token = Script.Step.token
        token.takes = .milliseconds(2900)
        let script = Script([token, .answer(200, #"{"devicePhoneNumber":"+12001004016"}"#)])
        #expect(await identify(script.makeOperator(settings)) == .success(.number(Fixture.number)))
        #expect(script.requests.map(\.timeout) == [.seconds(3), .milliseconds(2100)])
    }

    @Test func `does not begin a call for which no time is left`() async {
        var token = Script.Step.token
        token.takes = .seconds(5)
        let script = Script([token])
        #expect(await identify(script.makeOperator()) == .failure(.timeout))
        #expect(script.requests.count == 1)
    }

    // MARK: Circuit

    @Test func `leaves an operator alone that fails five times, and tries again after 30 seconds`() async {
        let down = Script.Step.answer(500, "")
        let script = Script(
            [down, down, down, down, down, .token, .answer(200, #"{"devicePhoneNumber":"+12001004016"}"#)])
        let carrier = script.makeOperator()
        let directory = OperatorDirectory(everywhere: carrier)
        for _ in 0..<5 {
            #expect(carrier.isAvailable)
            #expect(await identify(carrier) == .failure(.failed(reason: "token: 500")))
        }
        #expect(!carrier.isAvailable)
        #expect(directory.serving(address: IPAddress("192.0.2.1")) == nil)
        #expect(await identify(carrier) == .failure(.circuitOpen))
        #expect(script.requests.count == 5)
        script.clock.advance(.seconds(30))
        #expect(directory.serving(address: IPAddress("192.0.2.1")) != nil)
        #expect(await identify(carrier) == .success(.number(Fixture.number)))
        #expect(carrier.isAvailable)
    }

    @Test func `stays with an operator that keeps saying no`() async {
        let no = Script.Step.answer(403, #"{"code":"\#(Self.notOnNetwork)"}"#)
        let forged = Script.Step.answer(400, #"{"error":"invalid_grant"}"#)
        let script = Script((0..<10).flatMap { _ in [.token, no, forged] })
        let carrier = script.makeOperator()
        for _ in 0..<10 {
            #expect(await identify(carrier) == .failure(.notOnNetwork))
            #expect(await identify(carrier) == .failure(.failed(reason: "token: 400 invalid_grant")))
        }
        #expect(carrier.isAvailable)
    }
}
