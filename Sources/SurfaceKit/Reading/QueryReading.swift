package import HTTPServer

extension Request {
    /// A query parameter that is a whole number in decimal digits; `nil` without.
    package func wholeNumber(_ name: String, in range: ClosedRange<Int>) throws(FieldDefect) -> Int? {
        guard let text = query(name) else { return nil }
        let isDecimal = (1...18).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
        guard isDecimal, let number = Int(text) else { throw FieldDefect(name, "must be a whole number") }
        guard range.contains(number) else { throw FieldDefect(name, "must be at most \(range.upperBound)") }
        return number
    }
}
