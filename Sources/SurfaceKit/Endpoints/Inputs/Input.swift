package import Possession
package import StrictJSON
internal import Text

/// The rule for the value of one member of a request: how it is read, and its schema.
///
///     Input.text(.reference), Input.flag, Input.identifier(DeviceID.self)
///
/// The schema is created only when the API description is requested.
public struct Input<Value: Sendable>: Sendable {
    @usableFromInline package typealias Read =
        @Sendable (_ fields: FieldReader, _ name: String) throws(FieldDefect) -> Value?

    /// The value; `nil` if the member is absent.
    @usableFromInline package let read: Read
    private let makeSchema: @Sendable () -> Schema

    package init(_ schema: @escaping @autoclosure @Sendable () -> Schema, read: @escaping Read) {
        self.read = read
        makeSchema = schema
    }

    /// The schema of a present value.
    package var schema: Schema { makeSchema() }

    /// The same value with another schema.
    package func described(as schema: @escaping @autoclosure @Sendable () -> Schema) -> Input {
        Input(schema(), read: read)
    }

    /// The value converted to another one.
    /// - Parameter convert: returns `nil` for a value that is not allowed.
    /// - Parameter defect: the reason of that refusal.
    package func map<Other: Sendable>(
        orFail defect: String, _ convert: @escaping @Sendable (Value) -> Other?
    ) -> Input<Other> {
        let read = read
        return Input<Other>(self.schema) { (fields, name) throws(FieldDefect) -> Other? in
            guard let value = try read(fields, name) else { return nil }
            guard let other = convert(value) else { throw FieldDefect(name, defect) }
            return other
        }
    }
}

extension Input where Value == String {
    package static func text(_ rule: TextRule) -> Input {
        Input(rule.schema) { (fields, name) throws(FieldDefect) in try fields.text(name, rule) }
    }

    /// A text of a required member: an empty text counts as missing.
    package static func filledText(_ rule: TextRule) -> Input { text(rule).described(as: rule.schema.filled) }

    /// A text that a person has typed (`TypedText`). The rule applies to its normalized form.
    package static func typed(_ rule: TextRule) -> Input {
        Input(rule.schema) { (fields, name) throws(FieldDefect) in
            guard let text = try fields.text(name, .any) else { return nil }
            let plain = TypedText.plain(text)
            if let defect = rule.defect(of: plain) { throw FieldDefect(name, defect) }
            return plain.utf8.isEmpty ? nil : plain
        }
    }

    /// Any text; another check decides about it.
    package static var anyText: Input { text(.any) }

    /// The hash of an Android app, as used by its SMS Retriever.
    package static var appHash: Input {
        text(TextRule(maxCharacters: 11, alphabet: .base64))
            .map(orFail: "must have 11 characters") { $0.utf8.count == 11 ? $0 : nil }
            .described(as: .text(pattern: "^[A-Za-z0-9+/]{11}$"))
    }
}

extension Input where Value == Bool {
    package static var flag: Input {
        Input(Schema.flag) { (fields, name) throws(FieldDefect) in try fields.flag(name) }
    }
}

extension Input where Value == Int64 {
    /// A whole number without fraction or exponent.
    /// - Parameter range: for the description; the endpoint checks the value.
    package static func integer(_ range: ClosedRange<Int>) -> Input {
        Input(Schema.integer(range)) { (fields, name) throws(FieldDefect) in try fields.integer(name) }
    }
}

extension Input {
    /// An object whose members are read elsewhere, or not at all.
    package static func object(
        _ schema: @escaping @autoclosure @Sendable () -> Schema
    ) -> Input where Value == JSONObject {
        Input(schema()) { (fields, name) throws(FieldDefect) in try fields.object(name) }
    }
}

extension Input where Value: RawRepresentable<String> {
    /// One of the values, spelled exactly.
    package static func choice(_ choices: [Value]) -> Input {
        Input(Schema.choice(choices.map(\.rawValue))) { (fields, name) throws(FieldDefect) in
            try fields.choice(name, choices)
        }
    }
}

extension Input {
    package static func identifier(_ type: Value.Type) -> Input where Value: Identifier {
        Input(Schema.givenIdentifier) { (fields, name) throws(FieldDefect) in try fields.identifier(name, type) }
    }
}

extension Input {
    /// An object with its own members. A defect in it names the whole path.
    package static func object(_ shape: Shape<Value>) -> Input {
        Input(shape.schema) { (fields, name) throws(FieldDefect) in
            try fields.inside(name) { (members) throws(FieldDefect) in try shape.read(members) }
        }
    }
}

extension TextRule {
    /// The rule as a JSON Schema. A rule with its own reader is described by the owner of that reader.
    package var schema: Schema {
        switch alphabet {
        case .any: .text()
        case .freeText: .text(most: maxCharacters, pattern: #"^[^\u0000-\u001f\u007f-\u009f]*$"#)
        case .phoneNumber: .text(least: 1, most: maxCharacters, pattern: "^[A-Za-z0-9+ .()-]+$")
        case .emailAddress: .text(least: 1, most: maxCharacters, pattern: "^[A-Za-z0-9@.+_-]+$")
        case .ipAddress: .text(least: 1, most: maxCharacters, pattern: "^[A-Za-z0-9.:]+$")
        case .base64: .text(least: 1, most: maxCharacters, pattern: "^[A-Za-z0-9+/]+$")
        }
    }
}
