import Testing
import Text

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("0.0.0.0", "00000000000000000000ffff00000000"), ("198.51.100.7", "00000000000000000000ffffc6336407"),
        ("255.255.255.255", "00000000000000000000ffffffffffff"), ("::", "00000000000000000000000000000000"),
        ("::1", "00000000000000000000000000000001"), ("1::", "00010000000000000000000000000000"),
        ("2001:db8::1", "20010db8000000000000000000000001"), ("2001:DB8::A", "20010db800000000000000000000000a"),
        ("2001:0db8:0:0:0:0:0:1", "20010db8000000000000000000000001"),
        ("1:2:3:4:5:6:7:8", "00010002000300040005000600070008"),
        ("1:2:3:4:5:6:7::", "00010002000300040005000600070000"),
        ("::2:3:4:5:6:7:8", "00000002000300040005000600070008"),
        ("::ffff:198.51.100.7", "00000000000000000000ffffc6336407"),
        ("::ffff:c633:6407", "00000000000000000000ffffc6336407"),
        ("0:0:0:0:0:ffff:198.51.100.7", "00000000000000000000ffffc6336407"),
        ("64:ff9b::192.0.2.33", "0064ff9b0000000000000000c0000221"), ("::1.2.3.4", "00000000000000000000000001020304"),
    ])
    func `is 16 bytes`(text: String, hex: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == hex)
    }

    @Test func `is one address in both spellings of IPv4, and no other`() {
        #expect(IPAddress("198.51.100.7") == IPAddress("::FFFF:C633:6407"))
        #expect(IPAddress("198.51.100.7") != IPAddress("::198.51.100.7"))
        #expect(IPAddress("198.51.100.7") != IPAddress("198.51.100.8"))
    }

    @Test(arguments: [
        "", " ", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "256.1.1.1", "1.2.3.1000", "01.2.3.4",
        "1.2.3.00", "+1.2.3.4", "-1.2.3.4", "1.2.3.4 ", "1.2.3.4/32", "1.2.3.4:80", "0x1.2.3.4", "１.2.3.4", "1.2.3.4\0",
        "16909060",
    ])
    func `is refused as IPv4`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ":", ":::", "1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
        "1:2:3:4::5:6:7:8", "1::2::3", "::1::", "1:::2", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "12345::", "g::", "+1::",
        "-1::",
        "fe80::1%eth0", "[::1]", "::1/128", "::ffff:1.2.3", "::ffff:01.2.3.4", "::ffff:1.2.3.4:5", "::1.2.3.4.5",
        "1:2:3:4:5:6:7:1.2.3.4", "::\u{301}1", "１::",
    ])
    func `is refused as IPv6`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    // RFC 4291 section 2.2 (3) has the dotted form for the low-order 32 bits alone; before a gap it is taken all the same.
    @Test(arguments: ["1.2.3.4::", "1.2.3.4::1", "1:1.2.3.4::"])
    func `is refused with an IPv4 address anywhere but at its end`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("0.0.0.0", "0.0.0.0"), ("::ffff:198.51.100.7", "198.51.100.7"), ("::FFFF:C633:6407", "198.51.100.7"),
        ("255.255.255.255", "255.255.255.255"), ("0:0:0:0:0:0:0:0", "::"), ("::0001", "::1"), ("1::", "1::"),
        ("2001:DB8:0:0:0:0:0:A", "2001:db8::a"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"),
        ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("0:0:1:2:3:4:5:6", "::1:2:3:4:5:6"),
        ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"),
    ])
    func `is written in one form`(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.text == canonical)
        #expect(IPAddress(canonical) == address)
        #expect(IPAddress(ipv6: address.bytes) == address)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", "2001:db8:1::"),
        ("2001:0DB8:0001::", "2001:db8:1::", "2001:db8:1::"),
        ("::1", "::", "::"), ("1:2:3:4:5::", "1:2:3:4::", "1:2:3::"),
    ])
    func `has the keys of its networks`(text: String, by64: String, by48: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.network64.text == by64)
        #expect(address.network48.text == by48)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.255.255", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
        ("126.255.255.255", false), ("::2", false), ("::", false), ("1::1", false),
    ])
    func `knows loopback`(text: String, isLoopback: Bool) {
        #expect(IPAddress(text)?.isLoopback == isLoopback)
    }

    @Test(
        arguments: [
            ("203.0.113.9", "203.0.113.9"), ("203.0.113.9:4711", "203.0.113.9"), ("::ffff:203.0.113.9", "203.0.113.9"),
            ("[::ffff:203.0.113.9]:1", "203.0.113.9"), ("2001:db8::9", "2001:db8::9"), ("[2001:DB8::9]", "2001:db8::9"),
            ("[2001:db8::9]:65535", "2001:db8::9"), ("::1:80", "::1:80"), ("203.0.113.9:", nil), ("203.0.113.9:x", nil),
            ("203.0.113.9:123456", nil), ("[203.0.113.9]", nil), ("[::1", nil), ("[::1]80", nil), ("[::1]:", nil),
            ("[]", nil),
            ("unknown", nil), ("_hidden", nil), ("", nil), ("\"[::1]\"", nil), ("fe80::1%eth0", nil),
            ("[0000:0000:0000:0000:0000:ffff:255.255.255.255]:65535", "255.255.255.255"),
        ] as [(String, String?)])
    func `is read from what proxies and backends write`(hop: String, address: String?) {
        #expect(IPAddress(hop: hop.utf8.span)?.text == address)
        #expect(IPAddress(hint: " \(hop) ")?.text == address)
    }
}
