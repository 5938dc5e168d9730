import HTTPServer
import Outbound
import Engine
import Possession
import Testing
import Tokens

@Suite(.timeLimit(.minutes(60))) struct PersonLookupTests {
    private static let url = "https://people.example/find"
    private static let key = KeyedHash(key: SecretBytes(Array("0123456789abcdef0123456789abcdef".utf8)))
    private static let client = ClientID("shop")!
    private static let said = Identification([.init("clientNumber", "12345"), .init("birthDate", "1990-02-28")])!

    private static func lookup(_ script: Script) -> PersonLookup {
        PersonLookup(
            SignedService(
                SignedServiceSettings(url: url),
                send: { (request) throws(OutboundFault) in try await script.send(request) },
                sign: { key.digest($0) }, now: { Fixture.now }, instant: { script.clock.now }))
    }

    private static func answer(_ script: Script) async -> Result<FoundPerson?, IdentityFault> {
        let lookup = lookup(script)
        do throws(IdentityFault) { return .success(try await lookup.person(said, for: client)) } catch {
            return .failure(error)
        }
    }

    @Test func `asks with the credentials in their order, signed`() async throws {
        let script = Script([.answer(404, "")])
        #expect(await Self.answer(script) == .success(nil))
        let request = try #require(script.requests.first)
        let body = #"{"clientId":"shop","credentials":{"birthDate":"1990-02-28","clientNumber":"12345"}}"#
        #expect(request.method == "POST" && request.url == Self.url)
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        let signed = Array("\(Fixture.now.seconds).\(body)".utf8)
        let mac = Self.key.digest(signed).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(
            request.headers.contains {
                $0.name == "Holdfast-Signature" && $0.value == "t=\(Fixture.now.seconds),v1=\(mac)"
            })
    }

    @Test(arguments: [
        (
            #"{"phoneNumber":"+12001004014"}"#,
            FoundPerson(target: .number(Fixture.other))
        ),
        (
            #"{"phoneNumber":"+12001004014","emailAddress":null,"language":"","personId":"4711","shoeSize":46}"#,
            FoundPerson(target: .number(Fixture.other), id: "4711")
        ),
        (
            #"{"emailAddress":"A@b.example","language":"pt-BR"}"#,
            FoundPerson(target: .email(EmailAddress("A@b.example")!), language: LanguageTag("pt-BR"))
        ),
    ])
    func `reads where messages go`(body: String, person: FoundPerson) async {
        #expect(await Self.answer(Script([.answer(200, body)])) == .success(person))
    }

    @Test(arguments: [
        ("{}", "phoneNumber is missing"), (#"{"phoneNumber":"2001004014"}"#, "phoneNumber is no number with its +"),
        (#"{"phoneNumber":12}"#, "phoneNumber must be text"), (#"{"emailAddress":"ab"}"#, "emailAddress is no e-mail"),
        (#"{"phoneNumber":"+12001004014","emailAddress":"a@b.example"}"#, "emailAddress stands beside a phoneNumber"),
        (#"{"phoneNumber":"+12001004014","language":"!"}"#, "language is no language tag"),
        (#"{"phoneNumber":"+12001004014","personId":"a\u0007"}"#, "personId must be text"),
        (
            #"{"phoneNumber":"+12001004014","personId":"\#(String(repeating: "1", count: 300))"}"#,
            "personId is too long"
        ),
    ])
    func `finds nobody by an answer that breaks the rules, and goes on asking`(body: String, reason: String) async {
        let script = Script(Array(repeating: .answer(200, body), count: 6))
        for _ in 1...6 {
            guard case .failure(.unavailable(let said)) = await Self.answer(script) else {
                Issue.record("\(body) was taken")
                return
            }
            #expect(said.hasPrefix("person lookup: 200, \(reason)"), "\(said)")
        }
        #expect(script.requests.count == 6)
    }

    @Test func `is left alone after five failures in a row`() async {
        let script = Script(Array(repeating: .answer(500, ""), count: 9))
        let lookup = Self.lookup(script)
        for _ in 1...7 { _ = try? await lookup.person(Self.said, for: Self.client) }
        #expect(script.requests.count == 5 && !lookup.isAvailable)
    }
}
