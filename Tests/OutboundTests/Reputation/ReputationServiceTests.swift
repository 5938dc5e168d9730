import Outbound
import Engine
import Possession
import Testing
import Tokens

@Suite(.timeLimit(.minutes(60))) struct ReputationServiceTests {
    private typealias Fixed = ReputationFixture
    private static let key = KeyedHash(key: SecretBytes(Array("0123456789abcdef0123456789abcdef".utf8)))

    private static func service(_ send: @escaping OutboundSend, url: String = "https://risk.example/standing")
        -> ReputationService
    {
        ReputationService(
            SignedService(
                SignedServiceSettings(url: url), send: send, sign: { key.digest($0) }, now: { Fixture.now }))
    }

    private static func service(_ script: Script) -> ReputationService {
        service { (request) throws(OutboundFault) in try await script.send(request) }
    }

    private func answer(_ step: Script.Step) async -> Result<Reputation, ReputationFault> {
        await Fixed.ask(Self.service(Script([step])))
    }

    @Test func `asks with the number and the day on which it became known, signed`() async throws {
        let script = Script([.answer(404, "")])
        #expect(await Fixed.ask(Self.service(script)) == .failure(.notCovered))
        let request = try #require(script.requests.first)
        let body = #"{"phoneNumber":"+12001004016","knownSince":"2025-03-01"}"#
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        let digest = Self.key.digest(Array("1767261600.\(body)".utf8))
        let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(request.headers.contains { $0.name == "Holdfast-Signature" && $0.value == "t=1767261600,v1=" + hex })
        #expect(request.timeout == .seconds(3) && request.maxResponseBytes == 65_536)
    }

    @Test func `leaves the day out where nobody knows the number`() async throws {
        let script = Script([.answer(200, #"{"result":"pass"}"#)])
        #expect(try await Self.service(script).standing(ReputationQuery(Fixture.number)) == Reputation())
        #expect(String(decoding: script.requests[0].body, as: UTF8.self) == #"{"phoneNumber":"+12001004016"}"#)
    }

    @Test(arguments: [
        (#"{"result":"pass"}"#, []), (#"{"result":"pass","failureReasons":{},"more":1}"#, []),
        (#"{"result":"pass","failureReasons":null,"phoneNumber":"+12001004016"}"#, []),
        (#"{"result":"fail","failureReasons":{"9135":"a"}}"#, ["9135 a"]),
        (
            #"{"failureReasons":{"9137":"call forwarding on","9131":"é"},"result":"fail"}"#,
            ["9131 é", "9137 call forwarding on"]
        ),
    ])
    func `takes a standing with its reasons, sorted by code`(body: String, reasons: [String]) async {
        let expected = reasons.map { text in
            Reputation.Reason(code: String(text.prefix(4)), text: String(text.dropFirst(5)))
        }
        #expect(await answer(.answer(200, body)) == .success(Reputation(failureReasons: expected)))
    }

    private static let many = (0..<17).map { #""90\#($0 + 10)":"a""# }.joined(separator: ",")

    @Test(arguments: [
        ("{}", "200, result must be pass or fail"), (#"{"result":"PASS"}"#, "200, result must be pass or fail"),
        (#"{"result":true}"#, "200, result must be pass or fail"),
        (#"{"result":"fail"}"#, "200, failureReasons is missing"),
        (#"{"result":"fail","failureReasons":{}}"#, "200, failureReasons is missing"),
        (#"{"result":"pass","failureReasons":{"9135":"a"}}"#, "200, failureReasons is for fail only"),
        (#"{"result":"fail","failureReasons":["9135"]}"#, "200, failureReasons must be an object"),
        (#"{"result":"fail","failureReasons":{\#(many)}}"#, "200, failureReasons has more than 16 members"),
        (
            #"{"result":"fail","failureReasons":{"SECRET":"a"}}"#,
            "200, failureReasons has a member that is not named by four digits"
        ),
        (#"{"result":"fail","failureReasons":{"9135":""}}"#, "200, failureReasons.9135 must be 1 to 128 bytes of text"),
        (#"{"result":"fail","failureReasons":{"9135":7}}"#, "200, failureReasons.9135 must be 1 to 128 bytes of text"),
        (
            #"{"result":"fail","failureReasons":{"9135":"a\u0000SECRET"}}"#,
            "200, failureReasons.9135 must be 1 to 128 bytes of text"
        ),
        (
            #"{"result":"fail","failureReasons":{"9135":"\#(String(repeating: "a", count: 129))"}}"#,
            "200, failureReasons.9135 must be 1 to 128 bytes of text"
        ),
        (#"{"result":"pass","phoneNumber":"+12001004014"}"#, "200, phoneNumber is not the one that was asked for"),
        ("[]", "200 without a JSON object"), (#"{"result":"fail""#, "200 without a JSON object"),
    ])
    func `names what breaks a rule, and shows nothing of it`(body: String, reason: String) async {
        #expect(await answer(.answer(200, body)) == .failure(.failed(reason: "reputation service: " + reason)))
    }

    @Test(arguments: [
        (Script.Step.answer(302, ""), ReputationFault.failed(reason: "reputation service: 302")),
        (.answer(429, ""), .failed(reason: "reputation service: 429")),
        (.answer(500, "+12001004016"), .failed(reason: "reputation service: 500")),
        (.answer(400, ""), .failed(reason: "reputation service: 400")),
        (.fault(.tooLarge), .failed(reason: "reputation service: the answer is too large")),
        (.fault(.failed(reason: "cut")), .failed(reason: "reputation service: cut")), (.fault(.timeout), .timeout),
        (.fault(.cancelled), .cancelled),
    ])
    func `names what is no answer`(step: Script.Step, fault: ReputationFault) async {
        #expect(await answer(step) == .failure(fault))
    }

    @Test func `leaves a failing service alone`() async {
        let script = Script(Array(repeating: .answer(500, ""), count: 5))
        let service = Self.service(script)
        for _ in 0..<5 { _ = await Fixed.ask(service) }
        #expect(!service.isAvailable)
        #expect(await Fixed.ask(service) == .failure(.resting))
        #expect(script.requests.count == 5)
    }

    @Test(
        arguments: [
            ("", ReputationFault.timeout),
            ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{", .timeout),
            ("nonsense\r\n\r\n", .failed(reason: "reputation service: the answer is not HTTP")),
        ])
    func `bears with a server that is none`(bytes: String, fault: ReputationFault) async throws {
        let server = try PlainServer(answering: bytes)
        let client = OutboundHTTP()
        var settings = SignedServiceSettings(url: "http://127.0.0.1:\(server.port)/")
        settings.timeout = .milliseconds(fault == .timeout ? 50 : 20_000)
        let service = ReputationService(
            SignedService(
                settings, send: { (request) throws(OutboundFault) in try await client.send(request) },
                sign: { Self.key.digest($0) }, now: { Fixture.now }))
        #expect(await Fixed.ask(service) == .failure(fault))
        await client.shutdown()
    }
}
