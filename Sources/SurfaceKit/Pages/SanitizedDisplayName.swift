/// A name that another party chose, made safe for use in our own sentence: one line, of limited length and height,
/// without characters that are invisible or change the text direction.
package struct SanitizedDisplayName: Sendable, Equatable {
    package let text: String

    /// In Unicode scalars.
    package static let maxCharacters = 64
    /// Combining accents on one letter; more of them would overlap the lines around.
    private static let maxMarks = 2

    package init(_ name: String, orElse substitute: String) {
        var kept = String.UnicodeScalarView()
        var marks = 0
        var count = 0
        var isCut = false
        for scalar in name.unicodeScalars {
            let kind = Kind(scalar)
            if kind == .hidden { continue }
            let isBlank = kind == .blank
            if isBlank, kept.isEmpty || kept.last == " " { continue }
            marks = kind == .mark ? marks + 1 : 0
            if marks > Self.maxMarks || kind == .mark && kept.isEmpty { continue }
            if count == Self.maxCharacters {
                isCut = true
                break
            }
            kept.append(isBlank ? " " : scalar)
            count += 1
        }
        if kept.last == " " { kept.removeLast() }
        text = kept.isEmpty ? substitute : String(kept) + (isCut ? "…" : "")
    }

    private enum Kind {
        case visible, blank, mark, hidden

        init(_ scalar: Unicode.Scalar) {
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator: self = .blank
            case .nonspacingMark, .enclosingMark: self = .mark
            case .control: self = scalar == "\t" || scalar == "\n" || scalar == "\r" ? .blank : .hidden
            // Direction marks, embeddings, isolates, joiners, tags. Some scripts lose details of their shape.
            case .format: self = .hidden
            case .unassigned, .privateUse, .surrogate: self = .hidden
            default: self = scalar.properties.isDefaultIgnorableCodePoint ? .hidden : .visible
            }
        }
    }
}
