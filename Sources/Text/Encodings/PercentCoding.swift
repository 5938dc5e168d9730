/// Percent-encoding (RFC 3986 section 2.1), also of names and values in forms (`application/x-www-form-urlencoded`).
package enum PercentCoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// All bytes except the unreserved characters as `%XX`. Every reader accepts that, also in a form.
    /// - Parameter kept: further ASCII characters that stay unchanged.
    package static func encode(_ text: String, keeping kept: String = "") -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte.isUnreserved || kept.utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += escape(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `%XX`, with capital digits.
    static func escape(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Decodes `%XX` once. `nil` for an incomplete or wrong triplet.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? { decoded(bytes) }

    package static func decode(_ text: Substring.UTF8View) -> [UInt8]? { decoded(text) }

    /// Private: a generic function of another target would not be specialized for its caller.
    private static func decoded(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }

    /// The bytes of a name or value of a form, decoded once, with `+` as a blank. Invalid triplets stay unchanged, and
    /// the result may contain any byte (URL Standard section 5.1: reading a form never fails).
    package static func formBytes(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var place = bytes.startIndex
        while place < bytes.endIndex {
            let byte = bytes[place]
            if byte == UInt8(ascii: "%"), bytes.endIndex - place > 2, let high = bytes[place + 1].hexDigitValue,
                let low = bytes[place + 2].hexDigitValue
            {
                decoded.append(high << 4 | low)
                place += 3
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
                place += 1
            }
        }
        return decoded
    }

    /// A name or value of a form: decoded once, with `+` as a blank. `nil` for an incomplete or wrong triplet, or
    /// invalid UTF-8.
    package static func decodeForm(_ bytes: ArraySlice<UInt8>) -> String? {
        decoded(bytes.lazy.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }
}
