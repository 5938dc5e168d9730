internal import Possession

// Numbers in surfaces whose vendor accepts only E.164.

extension Input where Value == String {
    /// A number with its `+`. The numbering plan checks the rest.
    /// - Parameter rule: for the length and the characters of the text.
    package static func internationalNumber(_ rule: TextRule = .phoneNumber) -> Input {
        Input(rule.schema.filled) { (fields, name) throws(FieldDefect) in
            guard let text = try fields.text(name, rule) else { return nil }
            if let defect = NumberText.internationalDefect(of: text) { throw FieldDefect(name, defect) }
            return text
        }
    }
}

extension ParameterInput where Value == String {
    /// The same in a path or a query.
    package static var internationalNumber: ParameterInput {
        ParameterInput(TextRule.phoneNumber.schema) { (text, name) throws(FieldDefect) in
            if let defect = TextRule.phoneNumber.defect(of: text) ?? NumberText.internationalDefect(of: text) {
                throw FieldDefect(name, defect)
            }
            return text
        }
    }
}
