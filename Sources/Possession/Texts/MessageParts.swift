/// How many SMS messages a text needs, and why (3GPP TS 23.038 section 6.2.1, TS 23.040 section 9.2.3.24.1).
///
///     MessageParts("1234 is your code").count      // 1
///     MessageParts("1234 is your \u{201C}code\u{201D}").alphabet // .ucs2, for two quotes
///
/// A single character outside GSM-7 makes the whole text UCS-2, with 70 instead of 160 characters. Operators bill each
/// part.
package struct MessageParts: Sendable, Equatable {
    package enum Alphabet: String, Sendable {
        case gsm7 = "GSM-7"
        case ucs2 = "UCS-2"

        /// Maximum length of a single message: septets, or UTF-16 units.
        package var single: Int {
            switch self {
            case .gsm7: 160
            case .ucs2: 70
            }
        }

        /// Maximum length of one of several parts, each of which has a header of six bytes.
        package var part: Int {
            switch self {
            case .gsm7: 153
            case .ucs2: 67
            }
        }
    }

    package let alphabet: Alphabet
    /// Septets or UTF-16 units, without unused room in the parts.
    package let units: Int
    package let count: Int
    /// The first character outside GSM-7.
    package let foreign: Unicode.Scalar?

    package init(_ text: String) {
        var septets: [Int] = []
        var foreign: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            guard let size = GSMAlphabet.size(of: scalar) else {
                foreign = scalar
                break
            }
            septets.append(size)
        }
        self.foreign = foreign
        alphabet = foreign == nil ? .gsm7 : .ucs2
        let sizes = foreign == nil ? septets : text.unicodeScalars.map { $0.value > 0xFFFF ? 2 : 1 }
        units = sizes.reduce(0, +)
        count = Self.count(sizes, in: alphabet)
    }

    /// Bytes that count for the 140-byte limit of Android's SMS Retriever: a GSM-7 character is one byte.
    package var bytes: Int { alphabet == .gsm7 ? units : units * 2 }

    /// No character is split: an escape stays with its character, and surrogate pairs stay together.
    private static func count(_ sizes: [Int], in alphabet: Alphabet) -> Int {
        guard sizes.reduce(0, +) > alphabet.single else { return 1 }
        var (parts, room) = (1, alphabet.part)
        for size in sizes {
            if size > room { (parts, room) = (parts + 1, alphabet.part) }
            room -= size
        }
        return parts
    }
}
