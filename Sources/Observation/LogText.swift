internal import Text

/// Writes the members of one JSON log line into a buffer, encoded so that a value cannot end its string or its line
/// (DAT-06).
///
/// It escapes quotes, backslashes, every control character (C0, DEL, C1) and the two Unicode line separators.
package struct LogText {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }
    mutating func clear() { bytes.removeAll(keepingCapacity: true) }
    mutating func truncate(to count: Int) { bytes.removeLast(bytes.count - count) }

    package mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func raw(_ text: [UInt8]) { bytes.append(contentsOf: text) }

    mutating func integer(_ value: Int) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(value.magnitude)
    }

    private mutating func digits(_ value: UInt) {
        if value > 9 { digits(value / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// Thousandths as a decimal number: 1234 becomes `1.234`.
    mutating func thousandths(_ value: Int) {
        let value = max(0, value)
        integer(value / 1000)
        bytes.append(UInt8(ascii: "."))
        padded(value % 1000, 3)
    }

    /// With leading zeros, up to `width` digits.
    package mutating func padded(_ value: Int, _ width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        var rest = value
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor % 10))
            rest %= divisor
            divisor /= 10
        }
    }

    /// A comma, a name and a string; nothing if the value is `nil`.
    mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        raw(name)
        string(value)
    }

    /// A JSON string including its quotes.
    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            if utf8.allSatisfy(LogText.isPlain) { bytes.append(contentsOf: utf8) } else { escape(utf8) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A text for people, without quotes. Its characters are escaped as in a JSON string.
    mutating func plain(_ text: String) {
        var text = text
        text.withUTF8 { escape($0) }
    }

    /// A value for people: unchanged if it is one word, otherwise as a JSON string.
    mutating func word(_ text: String) {
        let marks = "-_.:/+*@,[]".utf8
        let isWord = text.utf8.allSatisfy { $0.isLetterOrDigit || marks.contains($0) }
        if isWord, !text.utf8.isEmpty { plain(text) } else { string(text) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C:
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(UInt8(scalar.value))
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: hexadecimal(UInt16(scalar.value))
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    private mutating func hexadecimal(_ unit: UInt16) {
        raw("\\u")
        for shift: UInt16 in [12, 8, 4, 0] {
            let digit = UInt8(unit >> shift & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }
}
