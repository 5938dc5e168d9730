package import Possession
internal import Text

/// The rule for the text of one path or query parameter: how it is read, and its schema.
///
///     ParameterInput.text(.reference), ParameterInput.flag, ParameterInput.wholeNumber(in: 1...100)
package struct ParameterInput<Value: Sendable>: Sendable {
    package typealias Read = @Sendable (_ text: String, _ name: String) throws(FieldDefect) -> Value

    private let emptyIsAbsent: Bool
    private let convert: Read
    private let makeSchema: @Sendable () -> Schema

    /// - Parameters:
    ///   - emptyIsAbsent: whether `?name=` counts as an absent parameter.
    ///   - read: reads the value from a present text.
    package init(
        _ schema: @escaping @autoclosure @Sendable () -> Schema, emptyIsAbsent: Bool = true, read: @escaping Read
    ) {
        self.emptyIsAbsent = emptyIsAbsent
        convert = read
        makeSchema = schema
    }

    /// The schema of a present value.
    package var schema: Schema { makeSchema() }

    /// The same value with another schema.
    package func described(as schema: @escaping @autoclosure @Sendable () -> Schema) -> ParameterInput {
        ParameterInput(schema(), emptyIsAbsent: emptyIsAbsent, read: convert)
    }

    /// The value; `nil` if the parameter is absent.
    func read(_ text: String?, _ name: String) throws(FieldDefect) -> Value? {
        guard let text, !(emptyIsAbsent && text.utf8.isEmpty) else { return nil }
        return try convert(text, name)
    }

    /// An example defect, for a text that is surely invalid; `nil` if any text is valid.
    func exampleDefect(_ name: String) -> FieldDefect? {
        do throws(FieldDefect) {
            _ = try read("\u{1}", name)
            return nil
        } catch {
            return error
        }
    }
}

extension ParameterInput where Value == String {
    package static func text(_ rule: TextRule) -> ParameterInput {
        ParameterInput(rule.schema) { (text, name) throws(FieldDefect) in
            if let defect = rule.defect(of: text) { throw FieldDefect(name, defect) }
            return text
        }
    }

    /// A text of a required parameter: an empty text counts as missing.
    package static func filledText(_ rule: TextRule) -> ParameterInput {
        text(rule).described(as: rule.schema.filled)
    }
}

extension ParameterInput {
    package static func identifier(_ type: Value.Type) -> ParameterInput where Value: Identifier {
        ParameterInput(Schema.givenIdentifier) { (text, name) throws(FieldDefect) in
            guard let id = Value(text) else { throw FieldDefect(name, "must be a UUID") }
            return id
        }
    }
}

extension ParameterInput where Value == Bool {
    /// In upper or lower case: Python writes True.
    package static var flag: ParameterInput {
        ParameterInput(Schema.flag) { (text, name) throws(FieldDefect) in
            let word = text.utf8.prefix(6).map { (65...90).contains($0) ? $0 + 32 : $0 }
            if word.elementsEqual("true".utf8) { return true }
            guard word.elementsEqual("false".utf8) else { throw FieldDefect(name, "must be true or false") }
            return false
        }
    }
}

extension ParameterInput where Value == Int {
    /// In decimal digits.
    package static func wholeNumber(in range: ClosedRange<Int>) -> ParameterInput {
        ParameterInput(Schema.integer(range)) { (text, name) throws(FieldDefect) in
            guard let number = decimal(text), range.contains(number) else {
                throw FieldDefect(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// In decimal digits, from 0 on; an empty text is invalid.
    package static func wholeNumber(upTo most: Int) -> ParameterInput {
        ParameterInput(Schema.integer(0...most), emptyIsAbsent: false) { (text, name) throws(FieldDefect) in
            guard let number = decimal(text) else { throw FieldDefect(name, "must be a whole number") }
            guard number <= most else { throw FieldDefect(name, "must be at most \(most)") }
            return number
        }
    }

    /// At most 18 digits, which every `Int` can hold.
    private static func decimal(_ text: String) -> Int? {
        let isDecimal = (1...18).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
        return isDecimal ? Int(text) : nil
    }
}

extension ParameterInput where Value == String {
    /// Any text, even an empty one; another check decides about it.
    package static var anyText: ParameterInput {
        ParameterInput(.text(), emptyIsAbsent: false) { (text, _) throws(FieldDefect) in text }
    }
}
