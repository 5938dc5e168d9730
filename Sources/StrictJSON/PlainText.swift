/// Finds the parts of a text that need no escape in a JSON string (RFC 8259 section 7).
enum PlainText {
    /// Index of the first quote, backslash or control character below U+0020, from `start` on; the end when there is
    /// none.
    ///
    /// Tests eight bytes as one word, because tokens are long texts.
    static func end(in text: Span<UInt8>, from start: Int) -> Int {
        let bytes = text.bytes
        var next = start
        while next + 8 <= text.count,
            isPlain(bytes.unsafeLoadUnaligned(fromByteOffset: next, as: UInt64.self))
        { next += 8 }
        while next < text.count, isPlain(text[next]) { next += 1 }
        return next
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Whether all eight bytes need no escape.
    private static func isPlain(_ word: UInt64) -> Bool {
        // The subtraction sets the high bit of the first byte below the bound; bytes that had it before are masked out.
        let controls = (word &- 0x2020_2020_2020_2020) & ~word
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let ones: UInt64 = 0x0101_0101_0101_0101
        let found = controls | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return found & 0x8080_8080_8080_8080 == 0
    }
}
