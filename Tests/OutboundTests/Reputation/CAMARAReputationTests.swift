import HTTPServer
@testable import Outbound
import Engine
import Possession
import StrictJSON
import Testing

/// CAMARA SIM Swap 2.1.0 and Number Recycling 0.2.0, as the specifications' own pages have them.
@Suite(.timeLimit(.minutes(60))) struct CAMARAReputationTests {
    private typealias Fixed = ReputationFixture

    private func form(_ request: OutboundRequest) -> [String] {
        String(decoding: request.body, as: UTF8.self).split(separator: "&").map(String.init)
    }

    private func failure(_ reason: String) -> Result<Reputation, ReputationFault> {
        .failure(.failed(reason: "operator example: " + reason))
    }

    // MARK: The questions

    @Test func `asks under its own name, and names the number in the call`() async throws {
        let script = Script([Fixed.token, Fixed.clean])
        #expect(await Fixed.ask(Fixed.adapter(script), script) == .success(Reputation()))
        let requests = script.requests
        #expect(
            requests.map(\.url) == [
                "https://operator.example/token", "https://api.operator.example/sim-swap/v2/check",
            ])
        #expect(requests.allSatisfy { $0.method == "POST" && $0.maxResponseBytes == 65_536 })
        #expect(
            form(requests[0]) == [
                "grant_type=client_credentials",
                "scope=dpv%3AFraudPreventionAndDetection%20sim-swap%3Acheck", "client_id=holdfast",
                "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer",
                "client_assertion=assertion%20for%20holdfast%20at%20https%3A%2F%2Foperator.example%2Ftoken%2C"
                    + "%2016%20bytes%2C%201767261600",
            ])
        #expect(
            try JSONObject.parse(requests[1].body) == ["maxAge": 24, "phoneNumber": "+12001004016"])
        #expect(
            requests[1].headers.map { "\($0.name): \($0.value)" } == [
                "Authorization: Bearer \(Fixture.accessToken)", "Content-Type: application/json",
                "x-correlator: " + String(repeating: "ab", count: 16), "Accept: application/json",
            ])
    }

    @Test func `asks with a token of the one number, and then does not name it`() async throws {
        let script = Script([Fixed.token, Fixed.clean, Fixed.token, Fixed.clean])
        let adapter = Fixed.adapter(script) { $0.tokenWay = .jwtBearer }
        #expect(await Fixed.ask(adapter, script) == .success(Reputation()))
        #expect(
            form(script.requests[0]) == [
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
                "assertion=grant%20of%20holdfast%20for%20tel%3A%2B12001004016%2C%20dpv%3AFraudPreventionAndDetection"
                    + "%20sim-swap%3Acheck%20at%20https%3A%2F%2Foperator.example%2Ftoken%2C%2016%20bytes%2C%201767261600",
            ])
        #expect(try JSONObject.parse(script.requests[1].body) == ["maxAge": 24])
        #expect(await Fixed.ask(adapter, script) == .success(Reputation()))
        #expect(script.requests.count == 4, "the token of a number is good for that number only")
    }

    @Test func `asks for another owner since the day on which the number became known`() async throws {
        let script = Script([Fixed.token, Fixed.clean, .answer(200, #"{"phoneNumberRecycled":true}"#)])
        let adapter = Fixed.adapter(script) { $0.recyclingURL = "https://api.operator.example/number-recycling/v0.2" }
        #expect(await Fixed.ask(adapter, script, knownSince: Fixed.day) == .success(Fixed.recycled))
        #expect(
            form(script.requests[0])[1] == "scope=dpv%3AFraudPreventionAndDetection%20sim-swap%3Acheck"
                + "%20number-recycling%3Acheck")
        #expect(script.requests[2].url == "https://api.operator.example/number-recycling/v0.2/check")
        #expect(
            try JSONObject.parse(script.requests[2].body)
                == ["specifiedDate": "2025-03-01", "phoneNumber": "+12001004016"])
    }

    @Test func `asks nothing of owners of a number that nobody knows yet`() async {
        let script = Script([Fixed.token, Fixed.clean])
        let both = Fixed.adapter(script) { $0.recyclingURL = "https://api.operator.example/number-recycling/v0.2" }
        #expect(await Fixed.ask(both, script) == .success(Reputation()))
        let none = Script([])
        let only = Fixed.adapter(none) {
            $0.simSwapURL = nil
            $0.recyclingURL = "https://api.operator.example/number-recycling/v0.2"
        }
        #expect(await Fixed.ask(only, none) == .failure(.notCovered))
        #expect(none.requests.isEmpty)
    }

    @Test func `a swapped SIM is enough`() async {
        let script = Script([Fixed.token, .answer(200, #"{"swapped":true}"#)])
        let adapter = Fixed.adapter(script) {
            $0.simSwapHours = 72
            $0.recyclingURL = "https://api.operator.example/number-recycling/v0.2"
        }
        let expected = Reputation(failureReasons: [.init(code: "9135", text: "SIM swap under 72 hours ago")])
        #expect(await Fixed.ask(adapter, script, knownSince: Fixed.day) == .success(expected))
        #expect(script.requests.count == 2)
    }

    // MARK: Dates

    /// `now` is 2026-01-01T10:00:00Z, and 24 hours are asked about.
    @Test(arguments: [
        (#"{"latestSimChange":"2025-12-31T10:00:01Z"}"#, Result<Reputation, ReputationFault>.success(Fixed.swapped)),
        (#"{"latestSimChange":"2025-12-31T10:00:00Z"}"#, .success(Reputation())),
        (#"{"latestSimChange":"2025-12-31T12:00:01+02:00"}"#, .success(Fixed.swapped)),
        (#"{"latestSimChange":"2025-12-31T12:00:00.000+02:00"}"#, .success(Reputation())),
        (#"{"latestSimChange":"2019-03-04T05:06:07.89Z","monitoredPeriod":1}"#, .success(Reputation())),
        (#"{"latestSimChange":"2026-06-01T00:00:00Z"}"#, .success(Fixed.swapped)),
        (#"{"latestSimChange":null,"monitoredPeriod":1}"#, .success(Reputation())),
        (#"{"latestSimChange":null,"monitoredPeriod":0}"#, .failure(.notCovered)),
        (#"{"latestSimChange":null}"#, .failure(.notCovered)),
        (#"{"latestSimChange":null,"monitoredPeriod":"120"}"#, .failure(.notCovered)),
        (#"{}"#, .failure(.failed(reason: "operator example: sim-swap: 200 without latestSimChange"))),
        (
            #"{"latestSimChange":"yesterday"}"#,
            .failure(.failed(reason: "operator example: sim-swap: 200 with a latestSimChange that is no time"))
        ),
    ])
    func `compares the date of the last swap`(body: String, expected: Result<Reputation, ReputationFault>) async {
        let script = Script([Fixed.token, .answer(200, body)])
        #expect(await Fixed.ask(Fixed.adapter(script) { $0.simSwapCall = .retrieveDate }, script) == expected)
        #expect(script.requests[1].url.hasSuffix("/sim-swap/v2/retrieve-date"))
        #expect(form(script.requests[0])[1].hasSuffix("sim-swap%3Aretrieve-date"))
        #expect(String(decoding: script.requests[1].body, as: UTF8.self) == #"{"phoneNumber":"+12001004016"}"#)
    }

    @Test func `a watched time that is shorter than the one asked about says nothing of the rest`() async {
        for (hours, passes) in [(48, true), (49, false)] {
            let script = Script([Fixed.token, .answer(200, #"{"latestSimChange":null,"monitoredPeriod":2}"#)])
            let adapter = Fixed.adapter(script) {
                $0.simSwapCall = .retrieveDate
                $0.simSwapHours = hours
            }
            #expect(
                await Fixed.ask(adapter, script) == (passes ? .success(Reputation()) : .failure(.notCovered)))
        }
    }

    // MARK: Tokens

    @Test func `keeps a token until shortly before its end`() async {
        let script = Script([Fixed.token, Fixed.clean, Fixed.clean, Fixed.token, Fixed.clean])
        let adapter = Fixed.adapter(script)
        _ = await Fixed.ask(adapter, script)
        script.clock.advance(.seconds(269))
        _ = await Fixed.ask(adapter, script)
        #expect(script.requests.count == 3)
        script.clock.advance(.seconds(1))
        _ = await Fixed.ask(adapter, script)
        #expect(script.requests.map { $0.url.hasSuffix("/token") } == [true, false, false, true, false])
    }

    @Test(arguments: [#""expires_in":30"#, #""expires_in":-1"#, #""expires_in":"300""#, #""scope":"x""#])
    func `keeps no token whose life is short or not told`(member: String) async {
        let short = Script.Step.answer(
            200, #"{"access_token":"\#(Fixture.accessToken)","token_type":"Bearer",\#(member)}"#)
        let script = Script([short, Fixed.clean, short, Fixed.clean])
        let adapter = Fixed.adapter(script)
        _ = await Fixed.ask(adapter, script)
        _ = await Fixed.ask(adapter, script)
        #expect(script.requests.count == 4)
    }

    @Test func `a kept token that is refused gets one new one`() async {
        let refused = Script.Step.answer(401, #"{"status":401,"code":"UNAUTHENTICATED","message":"m"}"#)
        let script = Script([
            Fixed.token, Fixed.clean, refused, Fixed.token, Fixed.clean, refused, Fixed.token, refused,
        ])
        let adapter = Fixed.adapter(script)
        #expect(await Fixed.ask(adapter, script) == .success(Reputation()))
        #expect(await Fixed.ask(adapter, script) == .success(Reputation()))
        #expect(await Fixed.ask(adapter, script) == failure("sim-swap: 401 UNAUTHENTICATED"))
        #expect(script.requests.count == 8)
    }

    @Test(arguments: [
        (Script.Step.answer(400, #"{"error":"invalid_scope"}"#), "token: 400 invalid_scope"),
        (.answer(401, #"{"error":"invalid_client"}"#), "token: 401 invalid_client"),
        (.answer(200, #"{"access_token":"a\r\nb","token_type":"Bearer"}"#), "token: 200 without a usable access_token"),
        (.answer(200, #"{"access_token":"a","token_type":"DPoP"}"#), "token: 200 with another token_type"),
        (.answer(200, "<html>"), "token: 200 without a JSON object"), (.answer(503, ""), "token: 503"),
        (.answer(302, ""), "token: 302"),
    ])
    func `names what is no token`(step: Script.Step, reason: String) async {
        let script = Script([step])
        #expect(await Fixed.ask(Fixed.adapter(script), script) == failure(reason))
    }

    // MARK: What is no answer

    @Test(arguments: [
        (404, "IDENTIFIER_NOT_FOUND"), (404, "NOT_FOUND"), (422, "SERVICE_NOT_APPLICABLE"),
        (422, "UNNECESSARY_IDENTIFIER"), (404, ""),
    ])
    func `knows nothing of a number that the operator does not tell`(status: Int, code: String) async {
        let script = Script([
            Fixed.token, .answer(status, #"{"status":\#(status),"code":"\#(code)","message":"m"}"#),
        ])
        #expect(await Fixed.ask(Fixed.adapter(script), script) == .failure(.notCovered))
    }

    @Test(arguments: [
        (Script.Step.answer(200, #"{"swapped":"false"}"#), "sim-swap: 200 without swapped"),
        (.answer(200, #"{"status":500,"code":"INTERNAL","message":"m"}"#), "sim-swap: 200 without swapped"),
        (.answer(200, "[]"), "sim-swap: 200 without a JSON object"), (.answer(204, ""), "sim-swap: 204"),
        (.answer(307, ""), "sim-swap: 307"), (.answer(500, "+12001004016"), "sim-swap: 500"),
        (.answer(400, #"{"code":"OUT_OF_RANGE"}"#), "sim-swap: 400 OUT_OF_RANGE"),
        (.answer(403, #"{"code":"PERMISSION_DENIED"}"#), "sim-swap: 403 PERMISSION_DENIED"),
        (.answer(400, #"{"code":"+12001004016"}"#), "sim-swap: 400"),
        (.fault(.connect), "sim-swap: no connection"), (.fault(.tooLarge), "sim-swap: the answer is too large"),
        (.fault(.failed(reason: "the connection broke")), "sim-swap: the connection broke"),
    ])
    func `names what is no answer, and shows nothing of the number`(step: Script.Step, reason: String) async {
        let script = Script([Fixed.token, step])
        #expect(await Fixed.ask(Fixed.adapter(script), script) == failure(reason))
    }

    @Test func `gives all calls together one time`() async throws {
        let slow = Script.Step.answer(
            200, #"{"access_token":"\#(Fixture.accessToken)","token_type":"Bearer"}"#, takes: .milliseconds(2999))
        let script = Script([slow, Fixed.clean])
        #expect(await Fixed.ask(Fixed.adapter(script), script) == .success(Reputation()))
        #expect(script.requests.map(\.timeout) == [.seconds(3), .milliseconds(1)])
        let late = Script([
            .answer(
                200, #"{"access_token":"\#(Fixture.accessToken)","token_type":"Bearer"}"#, takes: .seconds(3))
        ])
        #expect(await Fixed.ask(Fixed.adapter(late), late) == .failure(.timeout))
        #expect(late.requests.count == 1)
    }

    @Test func `tells a caller who has gone from an operator that is slow`() async {
        for (fault, expected) in [(OutboundFault.cancelled, ReputationFault.cancelled), (.timeout, .timeout)] {
            let script = Script([Fixed.token, .fault(fault)])
            #expect(await Fixed.ask(Fixed.adapter(script), script) == .failure(expected))
        }
    }

    // MARK: Rest

    @Test func `leaves an operator alone for as long as it asks`() async {
        let tooMany = Script.Step(
            result: .success(OutboundResponse(status: 429, headers: [("Retry-After", "60")], body: [])))
        let script = Script([Fixed.token, tooMany, Fixed.clean])
        let adapter = Fixed.adapter(script)
        #expect(await Fixed.ask(adapter, script) == failure("sim-swap: 429"))
        #expect(!adapter.isAvailable)
        script.clock.advance(.seconds(59))
        #expect(await Fixed.ask(adapter, script) == .failure(.resting))
        script.clock.advance(.seconds(1))
        #expect(adapter.isAvailable)
        #expect(await Fixed.ask(adapter, script) == .success(Reputation()))
    }

    @Test func `does not rest longer than an hour, whatever it is told`() async {
        let tooMany = Script.Step(
            result: .success(OutboundResponse(status: 429, headers: [("Retry-After", "999999999")], body: [])))
        let script = Script([tooMany])
        let adapter = Fixed.adapter(script)
        _ = await Fixed.ask(adapter, script)
        script.clock.advance(.seconds(3599))
        #expect(!adapter.isAvailable)
        script.clock.advance(.seconds(1))
        #expect(adapter.isAvailable)
    }

    @Test(arguments: [
        (Script.Step.answer(404, ""), false), (.answer(422, ""), false), (.answer(400, ""), false),
        (.answer(403, ""), false), (Fixed.clean, false), (.fault(.cancelled), false), (.answer(500, ""), true),
        (.answer(429, ""), true), (.answer(200, "x"), true), (.answer(302, ""), true), (.fault(.timeout), true),
        (.fault(.connect), true), (.fault(.tooLarge), true),
    ])
    func `counts what speaks against the operator, not what is about one number`(step: Script.Step, counts: Bool) async
    {
        let script = Script([Fixed.token, step, Fixed.clean])
        let adapter = Fixed.adapter(script) { $0.breakerFailures = 1 }
        _ = await Fixed.ask(adapter, script)
        #expect(adapter.isAvailable == !counts)
        #expect((await Fixed.ask(adapter, script) == .failure(.resting)) == counts)
    }

    // MARK: Settings

    @Test func `names what is wrong with a setting`() {
        let cases: [(String, String, (inout ReputationOperatorSettings) -> Void)] = [
            ("", "needs simSwapUrl or numberRecyclingUrl: there is nothing to ask", { $0.simSwapURL = nil }),
            (
                "tokenUrl", "must begin with https://, except for loopback addresses",
                { $0.tokenURL = "http://a.example/" }
            ),
            ("clientId", "must be 1 to 128 visible ASCII characters", { $0.clientID = "a b" }),
            ("simSwapUrl", "must not end with a slash", { $0.simSwapURL = "https://a.example/" }),
            ("numberRecyclingUrl", "must not have a query", { $0.recyclingURL = "https://a.example/b?c" }),
            ("prefixes[1]", "must be + and up to 15 digits", { $0.prefixes = ["+", "49"] }),
            ("prefixes[0]", "must be + and up to 15 digits", { $0.prefixes = ["+1234567890123456"] }),
            ("", "has a wrong name: it must be 1 to 32 of a-z, 0-9 and -", { $0.name = "A" }),
        ]
        for (field, reason, change) in cases {
            let defects = Fixed.settings(change).defects()
            #expect(defects.map(\.field) == [field] && defects.map(\.reason) == [reason])
        }
        #expect(Fixed.settings().defects().isEmpty)
    }

    // MARK: On the wire

    @Test func `works over HTTP, and follows no redirect`() async throws {
        let token = Route(.post, "/token") { _ in
            Response(
                status: 200, body: Array(#"{"access_token":"t","token_type":"Bearer","expires_in":60}"#.utf8))
        }
        let check = Route(.post, "/sim-swap/v2/check") { request in
            let isNamed = request.body == Array(#"{"maxAge":24,"phoneNumber":"+12001004016"}"#.utf8)
            return isNamed && request.headers["authorization"] == "Bearer t"
                ? Response(status: 200, body: Array(#"{"swapped":true}"#.utf8)) : Response(status: 400)
        }
        let moved = Route(.post, "/moved/check") { _ in
            Response(status: 307, headers: [("Location", "/sim-swap/v2/check")])
        }
        let large = Route(.post, "/large/check") { _ in
            Response(status: 200, body: Array(repeating: 0x20, count: 10_000_000))
        }
        let server = try Server(
            limits: Fixture.limits, loops: 1, router: Router([token, check, moved, large]),
            failureResponse: { Response(status: $0.status) }, observe: { _ in })
        let base = "http://\(try #require(try server.start(on: [.tcp(host: "127.0.0.1", port: 0)]).first))"
        let client = Fixture.client()
        func answer(_ path: String) async -> Result<Reputation, ReputationFault> {
            let adapter = CAMARAReputation(
                Fixed.settings {
                    $0.tokenURL = base + "/token"
                    $0.simSwapURL = base + path
                }, send: { (request) throws(OutboundFault) in try await client.send(request) },
                assertions: FakeAssertions(), now: { Fixture.now }, randomBytes: Fixture.randomBytes)
            do throws(ReputationFault) {
                return .success(
                    try await adapter.standing(ReputationQuery(Fixture.number), by: .now.advanced(by: .seconds(600))))
            } catch { return .failure(error) }
        }
        #expect(await answer("/sim-swap/v2") == .success(Fixed.swapped))
        #expect(await answer("/moved") == failure("sim-swap: 307"))
        #expect(await answer("/large") == failure("sim-swap: the answer is too large"))
        await client.shutdown()
        await server.stop()
    }
}
