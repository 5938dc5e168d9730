extension IPAddress {
    /// `nil` unless dotted decimal without leading zeros, or text of RFC 4291 section 2.2 without a zone.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        let address = text.withUTF8 { Self(utf8: $0.span) }
        guard let address else { return nil }
        self = address
    }

    /// The same for bytes, in linear time and for at most `maxTextBytes`.
    package init?(utf8 text: Span<UInt8>) {
        guard (2...Self.maxTextBytes).contains(text.count) else { return nil }
        if let four = Self.dotted(text) {
            self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(four))
        } else if let address = Self.colons(text) {
            self = address
        } else {
            return nil
        }
    }

    /// `198.51.100.7`, or `2001:db8::7` in the form of RFC 5952. An IPv4-mapped address is written as IPv4.
    package var text: String {
        if isIPv4 {
            return "\(low >> 24 & 0xFF).\(low >> 16 & 0xFF).\(low >> 8 & 0xFF).\(low & 0xFF)"
        }
        let words = (0..<8).map { (index: Int) -> UInt64 in
            let word = index < 4 ? high : low
            return word >> UInt64(48 - index % 4 * 16) & 0xFFFF
        }
        let gap = Self.longestZeros(words)
        var text = ""
        for (index, word) in words.enumerated() where !gap.contains(index) {
            if index == gap.upperBound, !gap.isEmpty { text += "::" } else if index > 0 { text += ":" }
            text += String(word, radix: 16)
        }
        return gap.upperBound == 8 && !gap.isEmpty ? text + "::" : text
    }

    /// The first of the longest runs of zeros; empty when no run has two words (RFC 5952 section 4.2).
    private static func longestZeros(_ words: [UInt64]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || words[index] != 0 {
            if index - start > max(1, longest.count) { longest = start..<index }
            start = index + 1
        }
        return longest
    }

    /// Four numbers from 0 to 255, separated by dots.
    private static func dotted(_ text: Span<UInt8>) -> UInt32? {
        var address: UInt32 = 0
        var part: UInt32 = 0
        var digits = 0
        var parts = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "."):
                guard digits > 0, parts < 3 else { return nil }
                address = address << 8 | part
                (part, digits, parts) = (0, 0, parts + 1)
            case let byte where byte >= 0x30 && byte <= 0x39:
                // No leading zero: some readers would take the number as octal.
                guard digits == 0 || part > 0 else { return nil }
                part = part * 10 + UInt32(byte - 0x30)
                digits += 1
                guard part <= 255 else { return nil }
            default: return nil
            }
        }
        return digits > 0 && parts == 3 ? address << 8 | part : nil
    }

    /// Groups of hexadecimal digits with at most one `::`; the last 32 bits may be written as an IPv4 address.
    private static func colons(_ text: Span<UInt8>) -> IPAddress? {
        let colon = UInt8(ascii: ":")
        var words = [UInt16](repeating: 0, count: 8)
        var count = 0
        var gap: Int?
        var next = 0
        if text[0] == colon {
            guard text[1] == colon else { return nil }
            (gap, next) = (0, 2)
        }
        while next < text.count {
            var end = next
            while end < text.count, text[end] != colon { end += 1 }
            let part = text.extracting(next..<end)
            if let word = hexadecimal(part), count < 8 {
                words[count] = word
                count += 1
            } else if end == text.count, count <= 6, let four = dotted(part) {
                words[count] = UInt16(four >> 16)
                words[count + 1] = UInt16(four & 0xFFFF)
                count += 2
            } else {
                return nil
            }
            if end == text.count { break }
            next = end + 1
            guard next < text.count else { return nil }
            if text[next] == colon {
                guard gap == nil else { return nil }
                (gap, next) = (count, next + 1)
            }
        }
        guard let gap else { return count == 8 ? IPAddress(words) : nil }
        // `::` replaces at least one group.
        guard count < 8 else { return nil }
        return IPAddress(words[..<gap] + [UInt16](repeating: 0, count: 8 - count) + words[gap..<count])
    }

    private init(_ words: some Collection<UInt16>) {
        self.init(
            high: words.prefix(4).reduce(0) { $0 << 16 | UInt64($1) },
            low: words.dropFirst(4).reduce(0) { $0 << 16 | UInt64($1) })
    }

    /// One to four hexadecimal digits.
    private static func hexadecimal(_ text: Span<UInt8>) -> UInt16? {
        guard (1...4).contains(text.count) else { return nil }
        var value: UInt16 = 0
        for index in text.indices {
            switch text[index] {
            case let byte where byte >= 0x30 && byte <= 0x39: value = value << 4 | UInt16(byte - 0x30)
            case let byte where byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66:
                value = value << 4 | UInt16((byte | 0x20) - 0x57)
            default: return nil
            }
        }
        return value
    }
}
