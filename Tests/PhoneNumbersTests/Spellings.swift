/// Ways to write +1 202 555 0123.
enum Spellings {
    static let hundred: [String] = digitsOnly + foreign + refused

    static let digitsOnly = ["2025550123", "12025550123", "+12025550123"]

    /// Says Egypt.
    private static let foreign = ["+2025550123"]

    /// Nothing but digits and a leading plus is taken (API-16); people's separators least of all, since the wire's
    /// character set has none.
    static let refused: [String] = separated + prefixed + extended + lettered + otherDigits

    private static let separated: [String] =
        [" ", "-", ".", "/", "\t", "\u{A0}", "\u{2010}", "\u{2013}", "\u{200B}", "~"]
        .flatMap { separator in
            [
                "+1\(separator)202\(separator)555\(separator)0123", "202\(separator)555\(separator)0123",
                "+12025550123\(separator)",
            ]
        } + ["(202) 555-0123", "+1 (202) 555-0123", "(202)5550123", "[202]5550123", " 2025550123", "\n2025550123"]

    private static let prefixed = [
        "++12025550123", "+ 12025550123", "+-12025550123", "12025550123+", "1+2025550123", "+1+2025550123",
        "\u{FF0B}12025550123", "\u{207A}12025550123", "0112025550123", "01112025550123", "0012025550123",
        "tel:+12025550123", "TEL:2025550123", "tel:2025550123;phone-context=+1", "sip:+12025550123", "sms:+12025550123",
        "callto:+12025550123", "%2B12025550123", "0x12025550123", "-12025550123", "*672025550123", "#2025550123",
        "012025550123", "+012025550123",
    ]

    private static let extended = [
        "+12025550123;ext=5", "+12025550123;ext=", "+12025550123 x5", "+12025550123x5", "+12025550123ext5",
        "+12025550123 ext. 5", "2025550123,5", "2025550123;5", "2025550123#5", "2025550123p5", "2025550123w5",
        "+12025550123;isub=1", "+12025550123;phone-context=evil.test", "+12025550123\0", "+12025550123\04",
        "+12025550123/5550124", "+12025550123,+12025550124", "+1202555012\u{33}\u{301}",
    ]

    private static let lettered = [
        "202555O123", "2O25550123", "2025550l23", "202JJJ0123", "+1202jjj0123", "+12025550123a", "+1-202-JJJ-0123",
        "2.025550123e9",
        "2025550123.0", "two025550123",
    ]

    /// Fullwidth, Arabic-Indic, Persian, Devanagari, Bengali, Thai, mathematical, superscript, circled.
    private static let otherDigits: [String] =
        [0xFF10, 0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50, 0x1D7CE, 0x1D7D8].flatMap { zero in
            ["2025550123", "12025550123"].map { written($0, zero: UInt32(zero)) }
        } + ["202555012\u{B3}", "202555012\u{2462}", "+1202555012\u{FF13}"]

    private static func written(_ digits: String, zero: UInt32) -> String {
        String(String.UnicodeScalarView(digits.unicodeScalars.compactMap { Unicode.Scalar(zero + $0.value - 48) }))
    }
}
