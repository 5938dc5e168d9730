extension Unicode.Scalar {
    /// `U+2019`: four hexadecimal digits or more (the Unicode Standard, appendix A).
    package var codePoint: String {
        let number = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - number.utf8.count)) + number
    }
}
