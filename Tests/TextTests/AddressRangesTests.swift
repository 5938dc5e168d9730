import Testing
import Text

@Suite struct AddressRangesTests {
    @Test(arguments: [
        ("10.0.0.1", true), ("10.255.255.255", true), ("11.0.0.0", false), ("::ffff:10.1.2.3", true), ("fd00::1", true),
        ("fdff:ffff::", true), ("fc00::1", false), ("192.0.2.1", true), ("192.0.2.2", false), ("2001:db8::9", true),
        ("2001:db8::8", false),
    ])
    func `holds the addresses of its ranges`(text: String, isIn: Bool) throws {
        let ranges = try AddressRanges(list: "10.0.0.0/8, fd00::/8,192.0.2.1 ,\t2001:db8::9")
        #expect(ranges.contains(IPAddress(text)) == isIn)
    }

    @Test func `holds no IPv4 address in a wide IPv6 range, and nobody who has none`() throws {
        let ranges = try AddressRanges(list: "::/0")
        #expect(ranges.contains(IPAddress("2001:db8::1")))
        #expect(!ranges.contains(IPAddress("192.0.2.1")))
        #expect(!ranges.contains(nil))
        #expect(!AddressRanges().contains(IPAddress("::1")))
    }

    @Test func `is written in one form`() throws {
        let ranges = try AddressRanges(list: "::FFFF:10.0.0.0/104 , FD00::/8,::1")
        #expect(ranges.text == "10.0.0.0/8,fd00::/8,::1")
        #expect(try AddressRanges(list: ranges.text) == ranges)
    }

    @Test(arguments: [
        ("", ""), ("10.0.0.0/8,", ""), ("10.0.0.0/8,,::1", ""), ("::1, proxy.example", "proxy.example"),
        ("10.0.0.1/8", "10.0.0.1/8"), ("10.0.0.0/33", "10.0.0.0/33"), ("10.0.0.0/8 10.0.0.1", "10.0.0.0/8 10.0.0.1"),
        ("127.0.0.1:80", "127.0.0.1:80"), ("::1,[::1]", "[::1]"),
    ])
    func `names the entry that it refuses`(list: String, entry: String) {
        let error = #expect(throws: AddressRanges.Defect.self) { try AddressRanges(list: list) }
        #expect(error?.entry == entry)
    }

    @Test func `has a bound on its length`() throws {
        let most = Array(repeating: "::1", count: AddressRanges.maxCount)
        #expect(try AddressRanges(list: most.joined(separator: ",")).ranges.count == 256)
        #expect(throws: AddressRanges.Defect.self) { try AddressRanges(list: (most + ["::1"]).joined(separator: ",")) }
    }

    @Test(
        arguments: [
            ("192.0.2.0/24", nil), ("0.0.0.0/0", nil), ("192.0.2.1/32", nil), ("2001:db8::/32", nil), ("::/0", nil),
            ("::1/128", nil), ("192.0.2.0/33", .length), ("2001:db8::/129", .length), ("192.0.2.1/24", .hostBits),
            ("192.0.2.128/24", .hostBits), ("2001:db8::1/64", .hostBits), ("1.2.3.4/0", .hostBits), ("", .form),
            ("/", .form), ("192.0.2.0", .form), ("192.0.2.0/", .form), ("/24", .form), ("192.0.2.0/24/1", .form),
            ("192.0.2.0/024", .form), ("192.0.2.0/+4", .form), ("192.0.2.0/-1", .form), ("192.0.2/24", .form),
            ("192.0.2.0 /24", .form), ("192.0.2.0/24 ", .form), ("example.com/24", .form), ("192.0.2.0/9999", .form),
        ] as [(String, AddressRange.Defect?)])
    func `reads a range or says what is wrong with it`(text: String, defect: AddressRange.Defect?) {
        var found: AddressRange.Defect?
        do throws(AddressRange.Defect) { _ = try AddressRange(text) } catch { found = error }
        #expect(found == defect)
    }

    @Test func `takes an IPv4 range in either spelling for the same`() throws {
        #expect(try AddressRange("198.51.100.0/24") == AddressRange("::ffff:198.51.100.0/120"))
    }
}
