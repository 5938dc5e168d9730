/// The character classes of HTTP, on octets (HTTP-03); the class of tokens is in `Text`. Uses comparisons and masks, no
/// lookup tables.
package enum Octets {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    /// Bytes that a field value may contain: visible characters, blanks and opaque bytes from 0x80 on (RFC 9110 section
    /// 5.5).
    @inline(__always)
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == tab
    }

    /// How many octets from `start` on, before `end`, may be in a field value.
    ///
    /// Values are most of the input and include tokens of half a kilobyte, so eight octets are tested as one word. A
    /// word with any other octet is tested octet by octet.
    static func fieldValuePrefix(of input: Span<UInt8>, from start: Int, to end: Int) -> Int {
        let octets = input.bytes
        var next = start
        while true {
            while next + 8 <= end, isFieldValue(octets.unsafeLoadUnaligned(fromByteOffset: next, as: UInt64.self)) {
                next += 8
            }
            let stop = min(end, next + 8)
            while next < stop, isFieldValue(input[next]) { next += 1 }
            if next < stop || next == end { return next - start }
        }
    }

    /// Whether all eight octets are visible, blank or opaque. A tab fails here and must be tested separately.
    private static func isFieldValue(_ word: UInt64) -> Bool {
        (below(0x20, in: word) | equal(0x7F, in: word)) & highBits == 0
    }

    /// Whether all octets are visible ASCII and none is a comma: the value is a single word, not a list.
    package static func isOneWord(_ octets: Span<UInt8>) -> Bool {
        let comma = UInt8(ascii: ",")
        var next = 0
        while next + 8 <= octets.count {
            let word = octets.bytes.unsafeLoadUnaligned(fromByteOffset: next, as: UInt64.self)
            if (word | below(0x21, in: word) | equal(0x7F, in: word) | equal(comma, in: word)) & highBits != 0 {
                return false
            }
            next += 8
        }
        while next < octets.count {
            if octets[next] <= space || octets[next] >= 0x7F || octets[next] == comma { return false }
            next += 1
        }
        return true
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Sets the high bit of the first octet below `bound` (at most 0x80); no high bit is set if there is none.
    @inline(__always)
    private static func below(_ bound: UInt8, in word: UInt64) -> UInt64 {
        (word &- ones &* UInt64(bound)) & ~word & highBits
    }

    /// The same for an octet that equals `octet`.
    @inline(__always)
    private static func equal(_ octet: UInt8, in word: UInt64) -> UInt64 {
        below(1, in: word ^ ones &* UInt64(octet))
    }

    /// Bytes that a request target may contain: visible ASCII without `#`, which would begin a fragment (HTTP-10).
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == space || byte == tab
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    @inline(__always)
    static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    }

    @inline(__always)
    static func isUpperLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    }

    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        isUpperLetter(byte) ? byte | 0x20 : byte
    }

    /// Equal except for the case of ASCII letters. `_` and `-` are different characters (HTTP-06).
    static func equalIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where lowercased(left[index]) != lowercased(right[index]) { return false }
        return true
    }

    static func equalIgnoringCase(_ left: ArraySlice<UInt8>, _ right: String) -> Bool {
        equalIgnoringCase(left.span, right.utf8.span)
    }

    static func equalIgnoringCase(_ left: String.UTF8View, _ right: String) -> Bool {
        equalIgnoringCase(left.span, right.utf8.span)
    }
}
