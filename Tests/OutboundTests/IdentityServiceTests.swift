import HTTPServer
import Outbound
import Engine
import Possession
import Testing
import Tokens

@Suite(.timeLimit(.minutes(60))) struct IdentityServiceTests {
    private static let url = "https://people.example/lookup"
    private static let key = KeyedHash(key: SecretBytes(Array("0123456789abcdef0123456789abcdef".utf8)))
    /// Signature by another implementation, for the secret above, `Fixture.now` and `Fixture.number`.
    private static let signature = "e5787dc7a6a43d59c8e64b0de1a4997bd2ff28b6480dcf8e61dee7acadbe1746"
    private static let whole = #"""
        {"phoneNumber":"+12001004016","firstName":"Inge","lastName":"Galier","dob":"1984-12-10","ssn":"327601423",
        "emailAddresses":["a@b.c","d@e.f"],"addresses":[{"address":"1 St","extendedAddress":"2","city":"C",
        "region":"TX","postalCode":"78285-1234"},{}]}
        """#
    private static let names = #""firstName":"Inge","lastName":"Galier""#

    private static func service(
        _ send: @escaping OutboundSend, url: String = url, clock: FixedInstant = FixedInstant(),
        _ change: (inout SignedServiceSettings) -> Void = { _ in }
    ) -> IdentityService {
        var settings = SignedServiceSettings(url: url)
        change(&settings)
        return IdentityService(
            SignedService(
                settings, send: send, sign: { key.digest($0) }, now: { Fixture.now }, instant: { clock.now }))
    }

    private static func service(
        _ script: Script, _ change: (inout SignedServiceSettings) -> Void = { _ in }
    ) -> IdentityService {
        service(
            { (request) throws(OutboundFault) in try await script.send(request) }, clock: script.clock, change)
    }

    private static func person(_ service: IdentityService) async -> Result<Person?, IdentityFault> {
        do throws(IdentityFault) { return .success(try await service.person(Fixture.number)) } catch {
            return .failure(error)
        }
    }

    /// Reason of a call that failed; `nil` when somebody, or nobody, was found.
    private static func reason(_ service: IdentityService) async -> String? {
        guard case .failure(.unavailable(let reason)) = await person(service) else { return nil }
        return reason
    }

    // MARK: The question

    @Test func `asks with the number, signed`() async throws {
        let script = Script([.answer(404, "")])
        _ = await Self.person(Self.service(script))
        let request = try #require(script.requests.first)
        #expect(request.method == "POST" && request.url == Self.url)
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"phoneNumber":"+12001004016"}"#)
        #expect(
            request.headers.map { "\($0.name): \($0.value)" } == [
                "Content-Type: application/json", "Accept: application/json",
                "Holdfast-Signature: t=1767261600,v1=\(Self.signature)",
            ])
        #expect(request.timeout == .seconds(3) && request.maxResponseBytes == 65_536)
    }

    @Test(arguments: [
        ("https://people.example/lookup?v=1", true), ("http://127.0.0.1:8090/", true), ("http://[::1]/p", true),
        ("http://localhost", true), ("http://people.example/", false), ("https://u:p@people.example/", false),
        ("people.example", false), ("", false), ("https://people.example/#a", false), ("ftp://127.0.0.1/", false),
    ])
    func `takes https, and http on loopback`(url: String, isRight: Bool) {
        #expect((SignedServiceSettings(url: url).urlDefect == nil) == isRight)
    }

    // MARK: The answer

    @Test func `reads a person`() async {
        let expected = Person(
            firstName: "Inge", lastName: "Galier", dob: "1984-12-10", ssn: "327601423",
            emailAddresses: ["a@b.c", "d@e.f"],
            addresses: [
                Person.Address(
                    address: "1 St", extendedAddress: "2", city: "C", region: "TX", postalCode: "78285-1234"),
                Person.Address(address: nil, city: nil, region: nil, postalCode: nil),
            ])
        #expect(await Self.person(Self.service(Script([.answer(200, Self.whole)]))) == .success(expected))
    }

    @Test(arguments: [
        #"{\#(names)}"#, #"{\#(names),"dob":null,"ssn":null,"emailAddresses":null,"addresses":null}"#,
        #"{\#(names),"dob":"","ssn":"","emailAddresses":[""],"addresses":[]}"#,
        #"{\#(names),"phoneNumber":"","shoeSize":46,"idv":{}}"#,
    ])
    func `takes a person of whom nothing but the names is known`(body: String) async {
        let expected = Person(
            firstName: "Inge", lastName: "Galier", dob: nil, ssn: nil, emailAddresses: [], addresses: [])
        #expect(await Self.person(Self.service(Script([.answer(200, body)]))) == .success(expected))
    }

    @Test(arguments: ["", Self.whole, "nonsense"]) func `knows nobody at 404`(body: String) async {
        #expect(await Self.person(Self.service(Script([.answer(404, body)]))) == .success(nil))
    }

    /// A body, and the member that is wrong with it.
    private static let wrong: [(String, String)] = [
        ("{}", "firstName is missing"), (#"{"firstName":"Inge","lastName":""}"#, "lastName is missing"),
        (#"{"firstName":7,"lastName":"B"}"#, "firstName must be text"),
        (
            #"{"firstName":"\#(String(repeating: "é", count: 129))","lastName":"B"}"#,
            "firstName is longer than 128 characters"
        ),
        (#"{"firstName":"A\u0007","lastName":"B"}"#, "firstName must not contain control characters"),
        (#"{\#(names),"dob":"1984-02-30"}"#, "dob must be a date of the form YYYY-MM-DD"),
        (#"{\#(names),"dob":"1984-12"}"#, "dob must be a date of the form YYYY-MM-DD"),
        (#"{\#(names),"dob":"1984-12-10T00:00:00Z"}"#, "dob must be a date of the form YYYY-MM-DD"),
        (#"{\#(names),"ssn":"32760142"}"#, "ssn must be nine digits"),
        (#"{\#(names),"ssn":327601423}"#, "ssn must be text"),
        (#"{\#(names),"emailAddresses":"a@b"}"#, "emailAddresses must be a list"),
        (#"{\#(names),"emailAddresses":["a@b","ab"]}"#, "emailAddresses[1] must be an e-mail address"),
        (
            #"{\#(names),"emailAddresses":[\#(Array(repeating: #""a@b""#, count: 11).joined(separator: ","))]}"#,
            "emailAddresses has more than 10 entries"
        ),
        (#"{\#(names),"addresses":[{},"1 St"]}"#, "addresses[1] must be an object"),
        (#"{\#(names),"addresses":[{"city":["C"]}]}"#, "addresses[0].city must be text"),
        (
            #"{\#(names),"addresses":[{"city":"\#(String(repeating: "c", count: 257))"}]}"#,
            "addresses[0].city is longer than 256 bytes"
        ),
        (#"{\#(names),"phoneNumber":"+12001004014"}"#, "phoneNumber is not the one that was asked for"),
        (#"{\#(names),"phoneNumber":"2001004016"}"#, "phoneNumber is not the one that was asked for"),
    ]

    @Test(arguments: wrong) func `names the member that breaks a rule`(body: String, mistake: String) async {
        let reason = await Self.reason(Self.service(Script([.answer(200, body)])))
        #expect(reason == "identity service: 200, " + mistake)
    }

    @Test(arguments: [
        (Script.Step.answer(200, ""), "200 without a JSON object"), (.answer(200, "[]"), "200 without a JSON object"),
        (.answer(200, #"{\#(names)"#), "200 without a JSON object"),
        (.answer(200, #"{\#(names),"lastName":"B"}"#), "200 without a JSON object"),
        (.answer(201, whole), "201"), (.answer(204, ""), "204"), (.answer(302, ""), "302"),
        (.answer(400, whole), "400"),
        (.answer(401, #"{"error":"+12001004016"}"#), "401"), (.answer(500, "+12001004016"), "500"),
        (.fault(.timeout), "no answer in time"), (.fault(.connect), "no connection"),
        (.fault(.tooLarge), "the answer is too large"), (.fault(.cancelled), "cancelled"),
        (.fault(.failed(reason: "TLS was not agreed on")), "TLS was not agreed on"),
    ])
    func `names what is no answer`(step: Script.Step, reason: String) async {
        #expect(await Self.reason(Self.service(Script([step]))) == "identity service: " + reason)
    }

    @Test func `shows nothing of the person in a reason`() async {
        let secret = "20010040SECRET"
        for (body, _) in Self.wrong {
            let body = body.replacing("Inge", with: secret).replacing("+12001004014", with: secret)
            let reason = await Self.reason(Self.service(Script([.answer(200, body)])))
            #expect(reason?.contains("SECRET") == false && reason?.contains("2001004016") == false)
        }
    }

    // MARK: The circuit

    private static let open = "identity service: left alone after failures"

    @Test func `leaves a failing service alone, and takes it up again`() async {
        let script = Script([.answer(500, ""), .fault(.timeout), .answer(503, ""), .answer(404, ""), .answer(404, "")])
        let service = Self.service(script) { settings in
            settings.breakerFailures = 2
            settings.breakerPause = .seconds(30)
        }
        #expect(await Self.reason(service) == "identity service: 500")
        #expect(await Self.reason(service) == "identity service: no answer in time")
        script.clock.advance(.seconds(29))
        #expect(await Self.reason(service) == Self.open)
        #expect(script.requests.count == 2)
        // One call finds out; it fails, and the pause begins anew.
        script.clock.advance(.seconds(1))
        #expect(await Self.reason(service) == "identity service: 503")
        #expect(await Self.reason(service) == Self.open)
        script.clock.advance(.seconds(30))
        #expect(await Self.person(service) == .success(nil))
        #expect(await Self.person(service) == .success(nil))
        #expect(script.requests.count == 5)
    }

    @Test(arguments: [
        (Script.Step.answer(404, ""), false), (.answer(200, whole), false), (.answer(200, "{}"), false),
        (.answer(400, ""), false), (.answer(422, ""), false), (.fault(.cancelled), false), (.answer(200, "x"), true),
        (.answer(401, ""), true), (.answer(403, ""), true), (.answer(429, ""), true), (.answer(500, ""), true),
        (.fault(.tooLarge), true), (.fault(.connect), true),
    ])
    func `counts what speaks against the service, not what is about one number`(step: Script.Step, counts: Bool) async {
        let script = Script([step, step])
        let service = Self.service(script) { $0.breakerFailures = 1 }
        _ = await Self.person(service)
        #expect((await Self.reason(service) == Self.open) == counts)
    }

    @Test func `never leaves a service alone when told so`() async {
        let script = Script(Array(repeating: .answer(500, ""), count: 20))
        let service = Self.service(script) { $0.breakerFailures = 0 }
        for _ in 0..<20 { #expect(await Self.reason(service) == "identity service: 500") }
    }

    // MARK: On the wire

    @Test func `works over HTTP with a service that checks the signature`() async throws {
        let key = Self.key
        let route = Route(.post, "/lookup") { request in
            let header = request.headers["holdfast-signature"] ?? ""
            let message = Array("1767261600.".utf8) + request.body
            let expected = key.digest(message).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            guard header == "t=1767261600,v1=" + expected else { return Response(status: 401) }
            let isInge = request.body == Array(#"{"phoneNumber":"+12001004016"}"#.utf8)
            return isInge ? Response(status: 200, body: Array(Self.whole.utf8)) : Response(status: 404)
        }
        let moved = Route(.post, "/moved") { _ in Response(status: 307, headers: [("Location", "/lookup")]) }
        let server = try Server(
            limits: Fixture.limits, loops: 1, router: Router([route, moved]),
            failureResponse: { Response(status: $0.status) }, observe: { _ in })
        let bound = try #require(try server.start(on: [.tcp(host: "127.0.0.1", port: 0)]).first)
        let client = OutboundHTTP()
        let send: OutboundSend = { (request) throws(OutboundFault) in try await client.send(request) }

        let service = Self.service(send, url: "http://\(bound)/lookup")
        #expect(try await service.person(Fixture.number)?.lastName == "Galier")
        #expect(try await service.person(Fixture.other) == nil)
        let elsewhere = Self.service(send, url: "http://\(bound)/moved")
        #expect(await Self.reason(elsewhere) == "identity service: 307")
        await client.shutdown()
        await server.stop()
    }

    @Test(
        arguments: [
            ("", "no answer in time", 50), ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{", "no answer in time", 50),
            ("HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n", "the answer is too large", 20_000),
            ("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nnonsense", "200 without a JSON object", 20_000),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", nil, 20_000),
        ] as [(String, String?, Int)])
    func `bears with a server that is none`(bytes: String, reason: String?, milliseconds: Int) async throws {
        let padding = reason?.hasSuffix("large") == true ? String(repeating: " ", count: 65_537) : ""
        let server = try PlainServer(answering: bytes + padding)
        let client = OutboundHTTP()
        let service = Self.service(
            { (request) throws(OutboundFault) in try await client.send(request) },
            url: "http://127.0.0.1:\(server.port)/"
        ) { $0.timeout = .milliseconds(milliseconds) }
        #expect(await Self.reason(service) == reason.map { "identity service: " + $0 })
        await client.shutdown()
    }
}
