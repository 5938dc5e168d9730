@testable import Possession
import Testing

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
}
