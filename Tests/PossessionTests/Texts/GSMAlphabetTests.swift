import Possession
import Testing

/// TS 23.038, tables 6.2.1 and 6.2.1.1.
@Suite struct GSMAlphabetTests {
    @Test(
        arguments: [
            ("@", 0x00), ("£", 0x01), ("$", 0x02), ("¥", 0x03), ("è", 0x04), ("Ç", 0x09), ("\n", 0x0A), ("Ø", 0x0B),
            ("\r", 0x0D), ("å", 0x0F), ("Δ", 0x10), ("_", 0x11), ("Ξ", 0x1A), ("Æ", 0x1C), ("ß", 0x1E), ("É", 0x1F),
            (" ", 0x20), ("#", 0x23), ("¤", 0x24), ("%", 0x25), ("/", 0x2F), ("0", 0x30), ("9", 0x39), ("?", 0x3F),
            ("¡", 0x40), ("A", 0x41), ("Z", 0x5A), ("Ä", 0x5B), ("§", 0x5F), ("¿", 0x60), ("a", 0x61), ("z", 0x7A),
            ("ä", 0x7B), ("à", 0x7F),
        ] as [(String, UInt8)])
    func `has each character at its place`(character: String, septet: UInt8) {
        #expect(GSMAlphabet.bytes(of: character) == [septet])
    }

    @Test(
        arguments: [
            ("\u{0C}", 0x0A), ("^", 0x14), ("{", 0x28), ("}", 0x29), ("\\", 0x2F), ("[", 0x3C), ("~", 0x3D),
            ("]", 0x3E),
            ("|", 0x40), ("€", 0x65),
        ] as [(String, UInt8)])
    func `puts an escape before what is in the extension`(character: String, septet: UInt8) {
        #expect(GSMAlphabet.bytes(of: character) == [0x1B, septet])
    }

    /// The escape is none: it would change what stands behind it.
    @Test(arguments: ["\u{1B}", "ą", "`", "\t", "ç", "😀", "e\u{301}", "a“b"])
    func `has nothing for any other character`(text: String) {
        #expect(GSMAlphabet.bytes(of: text) == nil)
    }

    @Test func `has 127 characters of one septet and ten of two`() {
        let sizes = (0...0xFFFF).compactMap { Unicode.Scalar(UInt32($0)) }
            .compactMap { GSMAlphabet.bytes(of: String($0)) }
        #expect(sizes.count == 137 && Set(sizes).count == 137)
        #expect(sizes.count { $0.count == 2 } == 10 && sizes.allSatisfy { $0.allSatisfy { $0 < 0x80 } })
    }

    @Test(arguments: ["", "Your code is 1234", "@_$ä€\n", "{[~]}", "plain ą", "\u{1B}"])
    func `agrees with the count of a message's parts`(text: String) {
        let bytes = GSMAlphabet.bytes(of: text)
        #expect((MessageParts(text).alphabet == .gsm7) == (bytes != nil))
        if let bytes { #expect(MessageParts(text).units == bytes.count) }
    }
}
