import TestSupport
import Testing
import Text

@Suite struct TypedTextTests {
    @Test(arguments: [
        ("+1 (200) 100-4014", "+1 (200) 100-4014"), ("\u{202D}+12001004014\u{202C}", "+12001004014"),
        ("+1\u{A0}200\u{202F}100\u{3000}4014", "+1 200 100 4014"), ("200\u{2011}100\u{2013}4014", "200-100-4014"),
        ("200\u{2212}100", "200-100"), ("\u{661}\u{662}\u{663}\u{664}", "1234"),
        ("\u{6F1}\u{6F2}\u{6F3}\u{6F4}", "1234"),
        ("\u{FF0B}\u{FF11}\u{FF12}", "+12"), ("\u{FF08}200\u{FF09}", "(200)"), ("\u{FEFF}1\u{200B}2\u{AD}3", "123"),
        ("१२३४", "1234"), ("\u{1D7D8}\u{1D7E3}", "01"), ("12\n34\t", "12 34 "), ("a\u{301}", "a\u{301}"), ("", ""),
        ("²", "²"), ("Ⅳ", "Ⅳ"),
    ])
    func `is what the person means`(text: String, plain: String) {
        #expect(TypedText.plain(text).utf8.elementsEqual(plain.utf8))
    }

    @Test(arguments: [(" 12 34 ", "1234"), ("12-34", "1234"), ("\u{661}\u{A0}\u{662}", "12"), ("12a4", "12a4")])
    func `a code is its digits`(text: String, code: String) {
        #expect(TypedText.code(text).utf8.elementsEqual(code.utf8))
    }

    @Test func `leaves long text as it is`() {
        let text = String(repeating: "\u{661}", count: 129)
        #expect(TypedText.plain(text).utf8.elementsEqual(text.utf8))
    }
}
