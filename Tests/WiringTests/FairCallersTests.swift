import Possession
import SurfaceKit
import Testing
import Text

@testable import HTTPServer
@testable import Wiring

/// Callers as a server tells them apart under overload.
@Suite struct FairCallersTests {
    private static let proxies = "10.0.0.0/8"

    private static func caller(token: String? = nil, from peer: String, forwarded: String? = nil) throws -> Int? {
        var fields: [(name: String, value: String)] = []
        if let token { fields.append(("Authorization", "Bearer " + token)) }
        if let forwarded { fields.append(("X-Forwarded-For", forwarded)) }
        let address = try #require(IPAddress(peer))
        let addresses = ClientAddress(trustedProxies: try AddressRanges(list: proxies))
        return Servers.caller(Headers(fields), PeerAddress(address), addresses) { token in
            token.hasPrefix("known-") ? ClientID("shop") : nil
        }
    }

    @Test(
        arguments: [
            ("10.0.0.1", [("X-Forwarded-For", "203.0.113.9")], false),
            ("10.0.0.1", [("Forwarded", "for=203.0.113.9")], true), ("10.0.0.1", [("X-Real-IP", "203.0.113.9")], true),
            ("10.0.0.1", [("X-Forwarded-For", "unknown")], true), ("10.0.0.1", [], false),
            ("192.0.2.1", [("Forwarded", "for=203.0.113.9")], false),
        ] as [(String, [(name: String, value: String)], Bool)])
    func `a trusted proxy that names nobody is noticed`(
        peer: String, fields: [(name: String, value: String)], isUnnamed: Bool
    ) throws {
        let addresses = ClientAddress(trustedProxies: try AddressRanges(list: Self.proxies))
        #expect(addresses.isUnnamed(Headers(fields), PeerAddress(IPAddress(peer))) == isUnnamed)
    }

    @Test func `an API client is one caller from wherever it calls`() throws {
        let client = try Self.caller(token: "known-1", from: "192.0.2.1")
        #expect(client != nil)
        #expect(try Self.caller(token: "known-2", from: "198.51.100.7") == client)
        #expect(try Self.caller(token: "known-2", from: "10.0.0.1", forwarded: "203.0.113.9") == client)
    }

    @Test func `one who shows what was never checked is its network`() throws {
        let address = try Self.caller(from: "192.0.2.1")
        #expect(address != nil)
        #expect(try Self.caller(token: "made-up", from: "192.0.2.1") == address)
        #expect(try Self.caller(token: "known-1", from: "192.0.2.1") != address)
        #expect(try Self.caller(from: "192.0.2.2") == address, "one network has one share")
        #expect(try Self.caller(from: "192.0.3.1") != address)
    }

    @Test func `behind a trusted proxy it is the forwarded address, and an IPv6 network is one caller`() throws {
        let address = try Self.caller(from: "192.0.2.1")
        #expect(try Self.caller(from: "10.0.0.1", forwarded: "192.0.2.1") == address)
        #expect(try Self.caller(from: "198.51.100.7", forwarded: "192.0.2.1") != address, "nobody trusts this proxy")
        #expect(try Self.caller(from: "10.0.0.1") == nil, "the proxy is not the caller")
        let network = try Self.caller(from: "2001:db8:1:2::1")
        #expect(try Self.caller(from: "2001:db8:1:2:ffff::9") == network)
        #expect(try Self.caller(from: "2001:db8:1:3::1") == network)
        #expect(try Self.caller(from: "2001:db8:2:2::1") != network)
    }
}
