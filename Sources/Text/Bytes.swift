// Text from a caller is handled as bytes. `String` compares, hashes and searches by canonical equivalence, in time that
// grows with the square of a run of combining marks. These functions read each byte once. The generic ones are
// inlinable: an unspecialized call from another target costs about 20 nanoseconds a byte.

extension BidirectionalCollection<UInt8> {
    /// Without the blanks and tabs at both ends (`OWS`, RFC 9110 section 5.6.3).
    @inlinable
    package func trimmingBlanks() -> SubSequence {
        guard let first = firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
            let last = lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
        else { return self[endIndex...] }
        return self[first...last]
    }
}

extension Collection<UInt8> {
    /// Whether these are the bytes of `text`.
    @inlinable
    package func isSame(as text: String) -> Bool {
        count == text.utf8.count && elementsEqual(text.utf8)
    }

    /// The same, except for the case of ASCII letters.
    @inlinable
    package func isSameIgnoringCase(as text: String) -> Bool {
        count == text.utf8.count && elementsEqual(text.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// Whether the first bytes are those of `prefix`.
    @inlinable
    package func begins(with prefix: String) -> Bool {
        starts(with: prefix.utf8)
    }

    /// Whether these bytes contain `word`. Only for a short word: the work is the product of both lengths.
    @inlinable
    package func holds(_ word: String) -> Bool {
        var rest = self[...]
        while let first = rest.firstIndex(where: { $0 == word.utf8.first }) {
            rest = rest[first...]
            if rest.starts(with: word.utf8) { return true }
            rest = rest.dropFirst()
        }
        return word.utf8.isEmpty
    }
}

extension UInt8 {
    /// A letter A to Z as a to z; any other byte unchanged.
    @inlinable
    package var lowercasedASCII: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// Whether it is one of `A-Z`, `a-z`, `0-9`.
    @inlinable
    package var isLetterOrDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// Whether it needs no escape anywhere in a URL (RFC 3986 section 2.3).
    @inlinable
    package var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isLetterOrDigit
        }
    }

    /// The value of one hexadecimal digit, in either case.
    @inlinable
    package var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}

extension String {
    /// Whether both have the same bytes. The most frequent comparison in a request, mostly of two short texts. Most
    /// pairs differ in length, which needs no call.
    @inlinable
    package func isSame(as other: String) -> Bool {
        utf8.count == other.utf8.count && hasBytes(of: other)
    }

    /// - Parameter other: must have the same length.
    @usableFromInline
    func hasBytes(of other: String) -> Bool {
        let (left, right) = (utf8.span, other.utf8.span)
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}

extension StringProtocol {
    /// Whether both have the same bytes.
    @inlinable
    package func isSame(as other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// The same, except for the case of ASCII letters.
    @inlinable
    package func isSameIgnoringCase(as other: String) -> Bool {
        utf8.isSameIgnoringCase(as: other)
    }

    /// Whether the first bytes are those of `prefix`.
    @inlinable
    package func begins(with prefix: String) -> Bool {
        utf8.starts(with: prefix.utf8)
    }
}
