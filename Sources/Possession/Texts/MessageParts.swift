/// How many messages a text is on its way by SMS, and why (3GPP TS 23.038 section 6.2.1, TS 23.040 section 9.2.3.24.1).
///
///     MessageParts("1234 is your code").count      // 1
///     MessageParts("1234 is your \u{201C}code\u{201D}").alphabet // .ucs2, for two quotes
///
/// One character outside of GSM-7 makes the whole text UCS-2, which leaves 70 characters of 160. Operators bill parts.
package struct MessageParts: Sendable, Equatable {
    package enum Alphabet: String, Sendable {
        case gsm7 = "GSM-7"
        case ucs2 = "UCS-2"

        /// Room of a text that is one message: septets, or units of UTF-16.
        package var single: Int {
            switch self {
            case .gsm7: 160
            case .ucs2: 70
            }
        }

        /// Room of one part of several, each of which has a header of six bytes.
        package var part: Int {
            switch self {
            case .gsm7: 153
            case .ucs2: 67
            }
        }
    }

    package let alphabet: Alphabet
    /// Septets or units of UTF-16, without the room that a part leaves free.
    package let units: Int
    package let count: Int
    /// The first character that GSM-7 does not have.
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

    /// Bytes that count against the 140 that Android's SMS Retriever reads: a character of GSM-7 is one.
    package var bytes: Int { alphabet == .gsm7 ? units : units * 2 }

    /// No character is split: neither the escape from what it escapes, nor a surrogate from the other one.
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
