import Testing

@testable import HTTPServer
import Text

@Suite struct RequestTests {
    @Test(arguments: [
        ("a=1", "a", "1"), ("b=2&a=1&a=3", "a", "1"), ("a", "a", ""), ("a=", "a", ""), ("a=b=c", "a", "b=c"),
        ("a=%2B1%20x", "a", "+1 x"), ("a=+1", "a", "+1"), ("%61=1", "a", "1"), ("a=%C3%A9", "a", "é"),
        ("a=%2541", "a", "%41"),
        ("", "a", nil), ("b=1", "a", nil), ("A=1", "a", nil), ("a=%ff", "a", nil), ("a=%4", "a", nil),
        ("a=%zz", "a", nil),
    ])
    func `decodes the first query parameter of a name`(query: String, name: String, value: String?) {
        #expect(Request(method: .get, path: "/", rawQuery: query, id: "r").query(name) == value)
    }

    @Test func `finds headers without regard to case`() {
        let headers = Headers([("Host", "a"), ("x-one", "1"), ("X-One", "2"), ("X_One", "3")])
        #expect(headers["HOST"] == "a")
        #expect(headers["x-one"] == "1")
        #expect(headers.values("X-ONE") == ["1", "2"])
        #expect(headers.count("x-one") == 2)
        #expect(headers["none"] == nil)
        #expect(headers.all.map(\.name) == ["Host", "x-one", "X-One", "X_One"])
    }

    @Test func `makes request IDs that differ and pass its own check`() {
        var ids = RequestIDs()
        let made = (0..<1000).map { _ in ids.make() }
        #expect(Set(made).count == 1000)
        #expect(made.allSatisfy { RequestIDs.isAcceptable(Array($0.utf8)[...]) })
    }

    @Test(arguments: [
        ("a", true), ("Az09._:-", true), (String(repeating: "a", count: 128), true),
        (String(repeating: "a", count: 129), false),
        ("", false), ("a b", false), ("a\"", false), ("é", false), ("a/b", false),
    ])
    func `takes over only sane request IDs`(id: String, isAcceptable: Bool) {
        #expect(RequestIDs.isAcceptable(Array(id.utf8)[...]) == isAcceptable)
    }

    @Test func `names an IPv4 address mapped into IPv6 as IPv4 and counts IPv6 by its network`() {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 1, 2, 3]
        #expect(PeerAddress(IPAddress(ipv6: mapped)) == PeerAddress(ipv4: (10, 1, 2, 3)))
        let one = PeerAddress(IPAddress(ipv6: [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]))
        let two = PeerAddress(IPAddress(ipv6: [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [2]))
        #expect(one.text == "2001:db8::1")
        #expect(one.limitKey == two.limitKey)
        #expect(one.isLoopback == false)
        #expect(PeerAddress(IPAddress(ipv6: [UInt8](repeating: 0, count: 15) + [1])).isLoopback)
    }
}
