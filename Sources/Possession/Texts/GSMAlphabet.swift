/// The default alphabet of SMS (3GPP TS 23.038 section 6.2.1, once GSM 03.38). National tables are left out, because
/// few routes support them.
///
///     GSMAlphabet.bytes(of: "a@b")   // [0x61, 0x00, 0x62]
///     GSMAlphabet.bytes(of: "ą")     // nil
package enum GSMAlphabet {
    private static let escape: UInt8 = 0x1B

    /// In the order of their septets, including the escape.
    private static let basic = septets(
        """
        @£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u{1B}ÆæßÉ !"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿\
        abcdefghijklmnopqrstuvwxyzäöñüà
        """.unicodeScalars.enumerated().map { ($1, UInt8($0)) })
    /// Section 6.2.1.1: each after an escape.
    private static let extended = septets([
        ("\u{0C}", 0x0A), ("^", 0x14), ("{", 0x28), ("}", 0x29), ("\\", 0x2F), ("[", 0x3C), ("~", 0x3D), ("]", 0x3E),
        ("|", 0x40), ("€", 0x65),
    ])

    /// A text in this alphabet, one septet in each byte; `nil`: a character is not in it.
    package static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let (septet, isEscaped) = code(of: scalar) else { return nil }
            if isEscaped { bytes.append(escape) }
            bytes.append(septet)
        }
        return bytes
    }

    /// Replaces characters outside this alphabet by look-alikes in it, if there are any.
    ///
    ///     GSMAlphabet.lookalikes(of: "Joe\u{2019}s")   // "Joe's"
    package static func lookalikes(of text: String) -> String {
        guard bytes(of: text) == nil else { return text }
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { plain += code(of: scalar) != nil ? [scalar] : lookalike(of: scalar) }
        return String(plain)
    }

    private static func lookalike(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        switch scalar.value {
        // Quotes, single and double, and primes.
        case 0x2018...0x201B, 0x2032, 0x60, 0xB4, 0x2039, 0x203A: return ["'"]
        case 0x201C...0x201F, 0x2033, 0xAB, 0xBB: return ["\""]
        case 0x2026: return [".", ".", "."]
        case 0x2022, 0xB7: return ["*"]
        case 0x2212: return ["-"]
        default: break
        }
        switch scalar.properties.generalCategory {
        case .dashPunctuation: return ["-"]
        case .spaceSeparator: return [" "]
        case .format: return []
        default: return [scalar]
        }
    }

    /// Number of septets of a character; `nil`: it is not in the alphabet.
    static func size(of scalar: Unicode.Scalar) -> Int? { code(of: scalar).map { $0.isEscaped ? 2 : 1 } }

    private static func code(of scalar: Unicode.Scalar) -> (septet: UInt8, isEscaped: Bool)? {
        if let septet = basic[scalar], septet != escape { return (septet, false) }
        return extended[scalar].map { ($0, true) }
    }

    private static func septets(_ pairs: [(Unicode.Scalar, UInt8)]) -> [Unicode.Scalar: UInt8] {
        Dictionary(uniqueKeysWithValues: pairs)
    }
}
