/// Finds what a phone may show as a link in the text of a message (OTP-14).
///
/// Texts have at most `MessageText.maxCharacters`, so the work is bounded.
enum LinkFinder {
    /// Whether the text has a scheme (`://`), `www.`, a Markdown link, or the name of a host, with or without port, path
    /// and query. Fullwidth letters and the dots that browsers take for one count as plain ones.
    static func holdsLink(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.compactMap(plain)
        return ["://", "www.", "]("].contains { holds(scalars, $0) } || holdsHost(scalars) || holdsPath(scalars)
    }

    /// Whether the text has a scheme or `www.`: all that is refused in the operator's own texts, where a dot without a
    /// blank behind it is often only the end of a sentence (Chinese, Japanese).
    static func holdsAddress(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.compactMap(plain)
        return ["://", "www."].contains { holds(scalars, $0) }
    }

    /// In lower case, in its ASCII form if it has one; `nil` for a mark on the letter before.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        // Ideographic, halfwidth, small and leader dots (UTS 46 section 2.3 maps the first two to a dot).
        case 0x3002, 0xFF61, 0xFE52, 0x2024: return "."
        case 0xFF01...0xFF5E: return Unicode.Scalar(scalar.value - 0xFEE0).flatMap(plain)
        case 0x41...0x5A: return Unicode.Scalar(scalar.value + 32)
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: return nil
        default: return scalar
        }
    }

    private static func holds(_ scalars: [Unicode.Scalar], _ text: String) -> Bool {
        let text = Array(text.unicodeScalars)
        return scalars.indices.contains { scalars[$0...].starts(with: text) }
    }

    /// Labels with dots between, of which the last is a top-level domain or all four are numbers of an IPv4 address.
    /// `e.g.`, `Inc.`, `U.S.` and `12.50` are no hosts.
    private static func holdsHost(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.split { !isLabel($0) && $0 != "." }.contains { word in
            let labels = word.split(separator: ".", omittingEmptySubsequences: false)
            return labels.indices.dropFirst().contains { index in
                !labels[index - 1].isEmpty && isTopLevelDomain(labels[index])
            } || labels.count >= 4 && labels.prefix(4).allSatisfy(isNumber)
        }
    }

    /// Two letters or more of any script, or Punycode.
    private static func isTopLevelDomain(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
        label.count >= 2 && label.allSatisfy(\.properties.isAlphabetic) || label.starts(with: "xn--".unicodeScalars)
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
