@testable import Possession
import Testing

@Suite struct EmailAddressTests {
    private static let long = String(repeating: "a", count: 64)

    @Test(arguments: [
        "a@example.com", "Ada.King@example.com", "o'neil+tag@mail.example.co.uk", "a@xn--mnchen-3ya.example",
        "!#$%&'*+-/=?^_`{|}~@example.com", "1@2.example", "a@b-c.example", "+12015550123@example.com",
        "\(long)@example.com",
    ])
    func `takes a dot-atom at a domain of two labels or more`(text: String) {
        #expect(EmailAddress(text) != nil)
    }

    @Test(arguments: [
        "", "a", "@", "a@", "@example.com", "a@example", "a@.example", "a@example.", "a@exa..mple.com",
        ".a@example.com",
        "a.@example.com", "a..b@example.com", "a@b@example.com", "a b@example.com", " a@example.com", "a@example.com ",
        "\"a\"@example.com", "a(b)@example.com", "<a@example.com>", "a@[192.0.2.1]", "a@192.0.2.1", "a@-b.example",
        "a@b-.example", "a@b_c.example", "a,b@example.com", "a:b@example.com", "a;b@example.com", "a\\b@example.com",
        "a@münchen.example", "ä@example.com", "a@example.com,b@example.com", "\(long)a@example.com",
        "a@\(long).example",
    ])
    func `refuses everything else`(text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test(arguments: ["\r\nBcc: b@example.com", "\n", "\r", "\u{0}", "\t", "\u{7F}", "\u{85}", "\u{2028}"])
    func `takes nothing that could begin another header or command`(more: String) {
        for text in ["a\(more)@example.com", "a@example.com\(more)", "\(more)a@example.com", "a@exa\(more)mple.com"] {
            #expect(EmailAddress(text) == nil)
        }
    }

    @Test func `has at most 254 bytes`() {
        let domain = "." + String(repeating: "b.", count: 93) + "example"
        let fits = String(repeating: "a", count: 254 - domain.utf8.count) + "@" + domain.dropFirst()
        #expect(fits.utf8.count == 254 && EmailAddress(fits) != nil)
        #expect(EmailAddress("a" + fits) == nil)
    }

    @Test func `keeps the local part as it was given, and compares it in lower case`() throws {
        let address = try #require(EmailAddress("Ada.King@Example.COM"))
        #expect(address.text == "Ada.King@example.com" && address.canonical == "ada.king@example.com")
        #expect(address.domain == "example.com")
        let same = try #require(EmailAddress("ada.king@EXAMPLE.com"))
        #expect(address == same && Set([address, same]).count == 1)
        #expect(address != EmailAddress("ada.kin@example.com"))
    }

    @Test(arguments: [
        ("ada@example.com", "a***@e***.com"), ("a@mail.example.co.uk", "a***@m***.uk"),
        ("Ada@x.test", "A***@x***.test"),
    ])
    func `shows two letters and the top-level domain where it is printed`(text: String, masked: String) throws {
        let address = try #require(EmailAddress(text))
        #expect(address.masked == masked && "\(address)" == masked && "\(Target.email(address))" == masked)
    }

    @Test func `is a target of its own kind, in the one text that it is read back from`() throws {
        let address = try #require(EmailAddress("+12015550123@example.com"))
        let target = Target.email(address)
        #expect(Target(target.text) == target && target.number == nil && target.email == address)
        let number = Target.number(Fixture.lorant)
        #expect(Target(number.text) == number && number.email == nil && number.canonical == "+12001004014")
        #expect(Target("12001004014") == nil && Target("") == nil)
    }
}
