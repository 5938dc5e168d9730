/// Finds text in a message that a phone may show as a link, or that a person may read as one (OTP-14).
///
/// Texts have at most `MessageText.maxCharacters`, so the work is bounded.
enum LinkFinder {
    private static let marks = ["//", "\\\\", "www.", "](", "mailto:", "tel:", "sms:"].map { Array($0.unicodeScalars) }
    /// Dots in a spelling that avoids detection.
    private static let writtenDots = ["[.]", "(.)", "{.}", "[dot]", "(dot)", "{dot}"].map { Array($0.unicodeScalars) }
    /// A telephone number has at least this many digits: `911` and `12.50` have fewer.
    private static let numberDigits = 7

    /// Whether the text has the start of an address (`//`, `www.`, `mailto:`, `tel:`), a Markdown link, a host name
    /// with or without port, path and query, or a telephone number. Fullwidth letters and look-alikes of a dot count as
    /// plain ones.
    static func holdsLink(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.compactMap(plain)
        return (marks + writtenDots).contains { holds(scalars, $0) } || holdsHost(scalars) || holdsPath(scalars)
            || holdsBlankBeforeDot(scalars) || holdsNumber(text.unicodeScalars)
    }

    /// Whether the text has a scheme or `www.`. Only these are refused in the operator's own texts, because in Chinese
    /// and Japanese a dot without a blank after it often ends a sentence.
    static func holdsAddress(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.compactMap(plain)
        return ["://", "www."].contains { holds(scalars, Array($0.unicodeScalars)) }
    }

    /// In lower case, in its ASCII form if it has one; `nil` for a mark on the letter before.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        // Ideographic, halfwidth, small and leader dots (UTS 46 section 2.3 maps the first two to a dot), the hyphenation point,
        // the bullet operator, and the zeros of Arabic, which are drawn as dots.
        case 0x3002, 0xFF61, 0xFE52, 0x2024, 0x2027, 0x2219, 0x0660, 0x06F0: return "."
        case 0xFF01...0xFF5E: return Unicode.Scalar(scalar.value - 0xFEE0).flatMap(plain)
        case 0x41...0x5A: return Unicode.Scalar(scalar.value + 32)
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: return nil
        default: return scalar
        }
    }

    private static func holds(_ scalars: [Unicode.Scalar], _ text: [Unicode.Scalar]) -> Bool {
        scalars.indices.contains { scalars[$0...].starts(with: text) }
    }

    /// Labels separated by dots, with a top-level domain at the end, or four numbers of an IPv4 address. `e.g.`,
    /// `Inc.`, `U.S.` and `12.50` are not hosts.
    private static func holdsHost(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.split { !isLabel($0) && $0 != "." }.contains { word in
            let labels = word.split(separator: ".", omittingEmptySubsequences: false)
            return labels.indices.dropFirst().contains { index in
                isTopLevelDomain(labels[index]) && !labels[index - 1].isEmpty
                    || isDisguisedDomain(labels[index], after: labels[index - 1])
            } || labels.count >= 4 && labels.prefix(4).allSatisfy(isNumber)
        }
    }

    /// Two letters or more of any script, or Punycode.
    private static func isTopLevelDomain(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
        label.count >= 2 && label.allSatisfy(\.properties.isAlphabetic) || label.starts(with: "xn--".unicodeScalars)
    }

    /// `evil .com`: a person may not notice the blank.
    private static func holdsBlankBeforeDot(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.indices.dropFirst().contains { index in
            scalars[index] == "." && scalars[index - 1].properties.isWhitespace
                && isTopLevelDomain(scalars[(index + 1)...].prefix { isLabel($0) })
        }
    }

    /// `c0m` or `1com` after a name: letters mixed with digits.
    private static func isDisguisedDomain(
        _ label: ArraySlice<Unicode.Scalar>, after name: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        label.count >= 3 && label.count { $0.properties.isAlphabetic } >= 2 && name.count >= 2
            && name.contains { $0.properties.isAlphabetic }
    }

    /// Digits of any script, with the separators that people use.
    private static func holdsNumber(_ scalars: String.UnicodeScalarView) -> Bool {
        var digits = 0
        for scalar in scalars {
            if scalar.properties.generalCategory == .decimalNumber {
                digits += 1
                if digits == numberDigits { return true }
            } else if !isBetweenDigits(scalar) {
                digits = 0
            }
        }
        return false
    }

    private static func isBetweenDigits(_ scalar: Unicode.Scalar) -> Bool {
        "-./()+".unicodeScalars.contains(scalar) || scalar.properties.isWhitespace
            || scalar.properties.generalCategory == .dashPunctuation
    }

    private static func isNumber(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
        (1...3).contains(label.count) && label.allSatisfy { ("0"..."9").contains($0) }
    }

    private static func isLabel(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }

    /// `host.x/path`: a dot before the first slash of a word.
    private static func holdsPath(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.split { $0.properties.isWhitespace }.contains { word in
            guard let slash = word.firstIndex(of: "/") else { return false }
            return word[..<slash].contains(".")
        }
    }
}
