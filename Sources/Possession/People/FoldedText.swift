/// The form of a name, an address or a city for comparison: spellings that people regard as the same are equal.
///
/// - Case, by the full mappings of Unicode: `STRASSE` is `Straße`. Canonically equivalent texts are equal (UAX 15).
/// - Apostrophes: phones type `O’Brien`, records have `O'Brien`.
/// - Hyphens and dashes.
/// - White space becomes one blank, and is removed at the ends. Invisible marks (`Default_Ignorable_Code_Point`) are
///   removed.
///
/// Accents count: `José` is not `Jose`.
struct FoldedText: Equatable {
    let text: String

    init(_ text: String) {
        var folded = String.UnicodeScalarView()
        var isAfterBlank = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                isAfterBlank = true
                continue
            }
            // Tags of emoji, joiners and the soft hyphen are also ignorable.
            if scalar.properties.isDefaultIgnorableCodePoint { continue }
            if isAfterBlank, !folded.isEmpty { folded.append(" ") }
            isAfterBlank = false
            switch scalar {
            case _ where Self.isApostrophe(scalar): folded.append("'")
            case _ where Self.isDash(scalar): folded.append("-")
            default: Self.appendLowered(scalar, to: &folded)
            }
        }
        self.text = String(folded)
    }

    /// Upper case first, because `ß` and `SS` are equal only after that.
    private static func appendLowered(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
        for upper in scalar.properties.uppercaseMapping.unicodeScalars {
            folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
        }
    }

    private static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Apostrophe, grave accent, acute accent, modifier letters, single quotation marks, prime, full width.
        case 0x27, 0x60, 0xB4, 0x02B9, 0x02BB...0x02BD, 0x02C8, 0x2018...0x201B, 0x2032, 0x2035, 0xA78C, 0xFF07: true
        default: false
        }
    }

    private static func isDash(_ scalar: Unicode.Scalar) -> Bool {
        // U+2212 is the minus sign, U+2043 the hyphen bullet.
        scalar.properties.generalCategory == .dashPunctuation || scalar.value == 0x2212 || scalar.value == 0x2043
    }
}
