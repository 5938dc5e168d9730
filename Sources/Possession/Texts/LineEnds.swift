extension String {
    /// The text with all line ends (CR LF, CR, LF) as line feeds.
    var withLineFeeds: String {
        var lines = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in unicodeScalars {
            if scalar == "\r" || scalar == "\n" && !isAfterReturn {
                lines.append("\n")
            } else if scalar != "\n" {
                lines.append(scalar)
            }
            isAfterReturn = scalar == "\r"
        }
        return String(lines)
    }
}

extension Unicode.Scalar {
    /// A control character (C0, DEL, C1) other than a line feed.
    var isForbiddenControl: Bool { self != "\n" && (value < 0x20 || (0x7F...0x9F).contains(value)) }
}
