import Foundation
@testable import Outbound
import Engine
import Possession
import StrictJSON
import Testing
import Tokens

@testable import Administration
@testable import Observation
@testable import Wiring

/// The operator's own identity service: its settings, and whom a number leads to with it.
@Suite struct IdentityWiringTests {
    private static func text(_ identity: String, mode: String = "sandbox") -> String {
        #"{"mode":"\#(mode)","data":{"directory":"d"},"server":{"publicUrl":"https://a.example"},"identity":\#(identity)}"#
    }

    private struct Imported: IdentitySource {
        func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? {
            Person(firstName: "Imported", lastName: "B", dob: nil, ssn: nil, emailAddresses: [], addresses: [])
        }
    }

    // MARK: Settings

    @Test(arguments: ["sandbox", "live"]) func `is off by default`(mode: String) throws {
        let identity = try ConfigurationTests.read(Self.text("{}", mode: mode)).identity
        let expected = Configuration.Identity(
            url: nil, secretFile: nil, timeoutSeconds: 3, circuitFailures: 5, circuitPauseSeconds: 30)
        #expect(identity == expected && identity.service == nil)
    }

    @Test(arguments: ["sandbox", "live"]) func `reads every setting`(mode: String) throws {
        let text = Self.text(
            #"""
            {"url":"https://people.example/lookup","secretFile":"identity.secret","timeoutSeconds":1,
            "circuitFailures":0,"circuitPauseSeconds":3600,"keys":["clientNumber","email+birthDate"]}
            """#, mode: mode)
        let configuration = try ConfigurationTests.read(text)
        let expected = Configuration.Identity(
            url: "https://people.example/lookup",
            keys: try [["clientNumber"], ["birthDate", "email"]].map { try #require(IdentificationKey($0)) },
            secretFile: "/etc/holdfast/identity.secret", timeoutSeconds: 1,
            circuitFailures: 0, circuitPauseSeconds: 3600)
        #expect(configuration.identity == expected)
        let local = try ConfigurationTests.read(text, path: "test.json")
        #expect(try ConfigurationTests.read(local.report, path: "test.json") == local)
        var settings = SignedServiceSettings(url: "https://people.example/lookup")
        settings.timeout = .seconds(1)
        settings.breakerFailures = 0
        settings.breakerPause = .seconds(3600)
        #expect(configuration.identity.service == settings)
    }

    @Test(arguments: [
        (#"{"url":"https://people.example/"}"#, ["identity.secretFile: missing; identity.url needs it"]),
        (#"{"secretFile":"s"}"#, ["identity.url: missing; identity.secretFile is for it"]),
        (
            #"{"url":"http://people.example/","secretFile":"s"}"#,
            ["identity.url: must begin with https://, except for loopback addresses"]
        ),
        (#"{"url":"people.example","secretFile":"s"}"#, ["identity.url: must begin with https://"]),
        (#"{"url":"https://u:p@people.example/","secretFile":"s"}"#, ["identity.url: must not name a user"]),
        (
            #"{"url":7,"secretFile":""}"#,
            [
                "identity.url: must be a string that is not empty",
                "identity.secretFile: must be a string that is not empty",
            ]
        ),
        (#"{"timeoutSeconds":0}"#, ["identity.timeoutSeconds: must be an integer from 1 to 30"]),
        (#"{"circuitFailures":-1}"#, ["identity.circuitFailures: must be an integer from 0 to 1000"]),
        (#"{"circuitPauseSeconds":3601}"#, ["identity.circuitPauseSeconds: must be an integer from 1 to 3600"]),
        (#"{"secret":"s"}"#, ["identity.secret: no such setting; did you mean identity.secretFile?"]),
        ("true", ["identity: no such setting"]),
        (#"{"url":"http://127.0.0.1:8090/","secretFile":"s"}"#, []),
        (
            #"{"keys":["a+","b+b","c"]}"#,
            ["a+", "b+b"].map {
                "identity.keys: the entry '\($0)' must be 1 to 8 names with + between them, each once and of at most 64 bytes"
            }
        ),
        (
            #"{"keys":["email:adress+b","a:","a:b:c"]}"#,
            ["email:adress+b", "a:", "a:b:c"].map {
                "identity.keys: the entry '\($0)' must have address or number behind a colon"
            }
        ),
        (
            #"{"keys":["email:address","email+b","c+email:number","d:number+email:address"]}"#,
            ["email+b", "c+email:number"].map {
                "identity.keys: the entry '\($0)' declares 'email' otherwise than an earlier one"
            }
        ),
        (#"{"keys":"a+b, b+a"}"#, ["identity.keys: the entry 'b+a' has the names of an earlier one"]),
        (#"{"keys":"a b c d e f g h i j k l m n o p q"}"#, ["identity.keys: has more than 16 entries"]),
        (#"{"keys":"a b c d e f g h i j k l m n o p"}"#, []),
        (
            #"{"keys":7}"#,
            ["identity.keys: must be a text with commas between its entries, or an array of texts"]
        ),
    ])
    func `names what is wrong with a setting`(identity: String, mistakes: [String]) {
        #expect(ConfigurationTests.mistakes(Self.text(identity)) == mistakes)
    }

    @Test func `reads and prints the kinds of credentials`() throws {
        let text = Self.text(#"{"keys":["phone:number+email:address","email:address","clientNumber"]}"#)
        let configuration = try ConfigurationTests.read(text, path: "test.json")
        let kinds = configuration.identity.kinds
        #expect(kinds["email"] == .address && kinds["phone"] == .number && kinds["clientNumber"] == nil)
        #expect(configuration.identity.keys.map(\.names) == [["email", "phone"], ["email"], ["clientNumber"]])
        #expect(try ConfigurationTests.read(configuration.report, path: "test.json") == configuration)
    }

    @Test func `warns of keys that the service takes the place of`() throws {
        let service = #""lookupUrl":"https://people.example/","secretFile":"s""#
        for (identity, count) in [(#"{\#(service),"keys":"a"}"#, 1), ("{\(service)}", 0), (#"{"keys":"a"}"#, 0)] {
            let warnings = try ConfigurationTests.read(Self.text(identity)).warnings
            #expect(warnings.count { $0.hasPrefix("identity.keys: is not used") } == count)
        }
    }

    // MARK: The source

    private func configuration(_ directory: String, url: String? = "https://people.example/") throws -> Configuration {
        let settings = url.map {
            ["HOLDFAST_IDENTITY_URL": $0, "HOLDFAST_IDENTITY_SECRET_FILE": directory + ".secret"]
        }
        return try ServerFixture.configuration(directory, settings ?? [:])
    }

    private func writeSecret(beside directory: String, mode: Int = 0o600) throws {
        let path = directory + ".secret"
        try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func key(_ configuration: Configuration) throws(StartFault) -> KeyedHash? {
        let settings = configuration.identity
        return try SharedSecret.key(ofService: "identity", url: settings.url, file: settings.secretFile)
    }

    private func name(_ configuration: Configuration) async throws -> String? {
        let source = Assembly.knownPeople(
            configuration, key: try key(configuration), imported: Imported(),
            send: { (request) throws(OutboundFault) in
                let signature = request.headers.first { $0.name == "Holdfast-Signature" }?.value ?? ""
                guard signature.hasPrefix("t=7,v1=") else { return OutboundResponse(status: 401) }
                return OutboundResponse(status: 200, body: Array(#"{"firstName":"Served","lastName":"B"}"#.utf8))
            }, systemNow: { Timestamp(seconds: 7) }, registry: MetricsRegistry([]))
        return try await source.person(try #require(PhoneNumber(e164: "+12015550123")))?.firstName
    }

    @Test func `answers instead of the imported people`() async throws {
        let directory = ServerFixture.freshDirectory()
        try writeSecret(beside: directory)
        defer { try? FileManager.default.removeItem(atPath: directory + ".secret") }
        #expect(try await name(try configuration(directory)) == "Served")
        #expect(try await name(try configuration(directory, url: nil)) == "Imported")
        try await ServerFixture.withServer(try configuration(directory)) { _, port in
            let answer = try ServerFixture.call(port, "GET", "/readyz")
            #expect(answer.status == 200)
        }
    }

    @Test func `keeps the server from starting when its secret is not kept well`() async throws {
        let directory = ServerFixture.freshDirectory()
        let path = directory + ".secret"
        let configuration = try configuration(directory)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let prefix = "configuration: identity.secretFile: key file \(path) "
        let missing = #expect(throws: StartFault.self) { try key(configuration) }
        #expect(missing?.description.hasPrefix(prefix + "cannot be opened") == true)
        try writeSecret(beside: directory, mode: 0o640)
        let open = await #expect(throws: StartFault.self) {
            _ = try await Assembly(configuration, sink: LogSink(descriptor: -1)) { _ in }
        }
        #expect(open?.description == prefix + "must have mode 0600")
    }
}
