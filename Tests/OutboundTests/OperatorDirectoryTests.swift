import Locks
import Outbound
import Engine
import Possession
import Testing
import Text

/// An operator in name only.
private struct NamedOperator: BreakableOperator {
    let name: String
    var isAvailable = true
    func authorizeURL(_ request: OperatorRequest) -> String? { "" }
    func identify(_ grant: OperatorGrant, claimed: PhoneNumber?) async throws(OperatorFault) -> OperatorAnswer {
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
                OperatorDirectory.Entry(
                    NamedOperator(name: name, isAvailable: isAvailable),
                    networks: try networks.map { try AddressRange($0) },
                    plmns: ["wide": ["26201", "26206"], "tripped": ["310260"]][name, default: []].compactMap {
                        PLMN($0)
                    })
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
            ("", nil), ("unix", nil),
        ] as [(String, String?)])
    func `finds the operator by the longest prefix`(address: String, name: String?) throws {
        #expect(try Self.directory().serving(address: IPAddress(address))?.name == name)
    }

    @Test(
        arguments: [
            ("26201", "wide"), ("26206", "wide"), ("310260", "tripped"), ("31026", nil), ("262010", nil),
        ] as [(String, String?)])
    func `finds the operator that takes tokens of a network, available or not`(plmn: String, name: String?) throws {
        let network = try #require(PLMN(plmn))
        #expect(try Self.directory().takingTokens(of: network)?.name == name)
    }

    @Test(arguments: ["", "2620", "2620111", "2620a", "26201 ", "２６２０１", "-2620"])
    func `takes no other text for a network`(text: String) { #expect(PLMN(text) == nil) }

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
        #expect(directory.serving(address: IPAddress(address))?.name == "sandbox")
        #expect(directory.named("sandbox")?.name == "sandbox")
        #expect(directory.named("other") == nil)
    }

    @Test func `sends nobody to an operator that is left alone`() {
        let directory = OperatorDirectory(everywhere: NamedOperator(name: "sandbox", isAvailable: false))
        #expect(directory.serving(address: IPAddress("127.0.0.1")) == nil)
        #expect(directory.named("sandbox") != nil)
    }
}
