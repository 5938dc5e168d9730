import Locks
import Operators
import Possession
import Testing

/// An operator in name only.
private struct NamedOperator: BreakableOperator {
    let name: String
    var isAvailable = true
    func authorizeURL(_ request: OperatorRequest) -> String { "" }
    func identify(code: String, verifier: String, claimed: PhoneNumber?) async throws(OperatorFault) -> OperatorAnswer {
        throw .notOnNetwork
    }
}

@Suite struct OperatorDirectoryTests {
    private static func directory() throws -> OperatorDirectory {
        let table: [(String, Bool, [String])] = [
            ("wide", true, ["198.51.100.0/22", "2001:db8::/32"]),
            ("narrow", true, ["198.51.101.0/24", "2001:db8:1::/48"]),
            ("one", true, ["198.51.101.7/32", "2001:db8:1::7/128"]),
            ("tripped", false, ["198.51.102.0/24"]),
            ("six", true, ["::/1", "64:ff9b::/96"]),
        ]
        return OperatorDirectory(
            try table.map { name, isAvailable, networks in
                (NamedOperator(name: name, isAvailable: isAvailable), try networks.map { try Network($0) })
            })
    }

    @Test(
        arguments: [
            ("198.51.100.1", "wide"), ("198.51.103.255", "wide"), ("198.51.104.0", nil), ("198.51.99.255", nil),
            ("198.51.101.0", "narrow"), ("198.51.101.6", "narrow"), ("198.51.101.8", "narrow"), ("198.51.101.7", "one"),
            ("::ffff:198.51.101.7", "one"), ("::ffff:c633:6507", "one"), ("::ffff:198.51.100.1", "wide"),
            ("::FFFF:198.51.101.255", "narrow"), ("198.51.102.1", nil), ("2001:db8::1", "wide"),
            ("2001:db8:ffff::", "wide"), ("2001:db8:1::8", "narrow"), ("2001:db8:1::7", "one"),
            ("2001:0DB8:0001:0000:0000:0000:0000:0007", "one"), ("2001:db9::1", "six"), ("8000::1", nil),
            ("64:ff9b::198.51.101.7", "six"),
            // A wide IPv6 block is no IPv4 block.
            ("10.0.0.1", nil), ("::ffff:10.0.0.1", nil),
            ("", nil), ("unix", nil), ("198.51.101", nil), ("198.51.101.07", nil), ("198.51.101.7:80", nil),
            ("[2001:db8::1]", nil), ("2001:db8::1%eth0", nil), ("198.51.101.7\u{0}", nil), (" 198.51.101.7", nil),
        ] as [(String, String?)])
    func `finds the operator by the longest prefix`(address: String, name: String?) throws {
        #expect(try Self.directory().serving(address: address)?.name == name)
    }

    @Test func `finds an operator by its name, whether or not it is available`() throws {
        let directory = try Self.directory()
        #expect(directory.named("narrow")?.name == "narrow")
        #expect(directory.named("tripped")?.name == "tripped")
        #expect(directory.named("") == nil)
        #expect(directory.named("Narrow") == nil)
    }

    @Test(arguments: ["127.0.0.1", "::1", "unix", "192.0.2.1", ""])
    func `has one operator for everybody in the sandbox`(address: String) {
        let directory = OperatorDirectory(everywhere: NamedOperator(name: "sandbox"))
        #expect(directory.serving(address: address)?.name == "sandbox")
        #expect(directory.named("sandbox")?.name == "sandbox")
        #expect(directory.named("other") == nil)
    }

    @Test func `sends nobody to an operator that is left alone`() {
        let directory = OperatorDirectory(everywhere: NamedOperator(name: "sandbox", isAvailable: false))
        #expect(directory.serving(address: "127.0.0.1") == nil)
        #expect(directory.named("sandbox") != nil)
    }

    @Test(
        arguments: [
            ("192.0.2.0/24", nil), ("0.0.0.0/0", nil), ("192.0.2.1/32", nil), ("2001:db8::/32", nil), ("::/0", nil),
            ("::1/128", nil), ("192.0.2.0/33", .length), ("2001:db8::/129", .length), ("192.0.2.1/24", .hostBits),
            ("192.0.2.128/24", .hostBits), ("2001:db8::1/64", .hostBits), ("1.2.3.4/0", .hostBits), ("", .form),
            ("/", .form), ("192.0.2.0", .form), ("192.0.2.0/", .form), ("/24", .form), ("192.0.2.0/24/1", .form),
            ("192.0.2.0/024", .form), ("192.0.2.0/+4", .form), ("192.0.2.0/-1", .form), ("192.0.2/24", .form),
            ("192.0.2.0 /24", .form), ("192.0.2.0/24 ", .form), ("example.com/24", .form), ("192.0.2.0/9999", .form),
        ] as [(String, Network.Defect?)])
    func `reads a network or says what is wrong with it`(text: String, defect: Network.Defect?) {
        var found: Network.Defect?
        do throws(Network.Defect) { _ = try Network(text) } catch { found = error }
        #expect(found == defect)
    }

    @Test func `takes an IPv4 block in either spelling for the same`() throws {
        #expect(try Network("198.51.100.0/24") == Network("::ffff:198.51.100.0/120"))
    }
}
