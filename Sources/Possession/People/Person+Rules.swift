/// Rules for a person's data from any source. An error names the rule, never the value.
extension Person {
    package enum Limit {
        /// Maximum length of a first or last name, in Unicode scalars.
        package static let nameCharacters = 128
        /// Maximum length of any other text, in UTF-8 bytes.
        package static let textBytes = 256
        package static let emailAddresses = 10
        package static let addresses = 10
    }

    /// A day of the Gregorian calendar, `YYYY-MM-DD`, from the year 1900 on.
    package static func isDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10])
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return year >= 1900 && (1...12).contains(month) && day >= 1 && day <= days[month - 1]
    }

    /// Nine digits.
    package static func isSSN(_ text: String) -> Bool {
        text.utf8.count == 9 && text.utf8.allSatisfy(isDigit)
    }

    /// Text before and after a single `@`, and no space.
    package static func isEmailAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && !text.utf8.contains(UInt8(ascii: " "))
    }

    /// No C0 or C1 controls, and no line separators of Unicode: a value must stay on one line wherever it is shown.
    package static func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && !(0x2028...0x2029).contains(scalar.value)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }
}
