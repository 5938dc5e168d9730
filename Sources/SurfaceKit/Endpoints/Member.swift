/// One member of a request: its name, what its value must be, and where the value goes. Both the reading and the API
/// description come from it.
///
///     Member.required("correlationId", .anyText, "Of the session.") { $0.correlationID = $1 }
package struct Member<Body: Sendable>: Sendable {
    let name: String
    let read: @Sendable (FieldReader, inout Body) throws(FieldDefect) -> Void
    private let makeFields: @Sendable (BodyForm.Coding) -> [Field]

    private init(
        _ name: String, fields: @escaping @Sendable (BodyForm.Coding) -> [Field],
        read: @escaping @Sendable (FieldReader, inout Body) throws(FieldDefect) -> Void
    ) {
        self.name = name
        self.read = read
        makeFields = fields
    }

    /// Of a JSON body.
    package var fields: [Field] { fields(in: .json) }

    /// As the API description has it: one, but for members that are read together.
    package func fields(in coding: BodyForm.Coding) -> [Field] { makeFields(coding) }

    /// A member that must be there.
    package static func required<Value>(
        _ name: String, _ input: Input<Value>, _ about: String = "",
        _ set: @escaping @Sendable (inout Body, Value) throws(FieldDefect) -> Void
    ) -> Member {
        Member(name, fields: { _ in [must(name, input.schema, about)] }) { (fields, body) throws(FieldDefect) in
            guard let value = try input.read(fields, name) else { throw .missing(name) }
            try set(&body, value)
        }
    }

    /// A member that may be absent; then nothing is set. `null` and an empty text count as absent.
    package static func optional<Value>(
        _ name: String, _ input: Input<Value>, _ about: String = "",
        _ set: @escaping @Sendable (inout Body, Value) -> Void
    ) -> Member {
        let fields: @Sendable (BodyForm.Coding) -> [Field] = { coding in
            // A form has no null.
            [may(name, coding == .json ? input.schema.orNull : input.schema, about)]
        }
        return Member(name, fields: fields) { (fields, body) throws(FieldDefect) in
            if let value = try input.read(fields, name) { set(&body, value) }
        }
    }

    /// A member that must be there, of which the endpoint itself says that it is missing.
    package static func described<Value>(
        _ field: @escaping @autoclosure @Sendable () -> Field, _ name: String, _ input: Input<Value>,
        _ set: @escaping @Sendable (inout Body, Value) -> Void
    ) -> Member {
        Member(name, fields: { _ in [field()] }) { (fields, body) throws(FieldDefect) in
            if let value = try input.read(fields, name) { set(&body, value) }
        }
    }

    /// A member that is checked where it is there, and has no effect.
    package static func ignored<Value>(_ name: String, _ input: Input<Value>, _ about: String = "") -> Member {
        optional(name, input, about) { _, _ in }
    }

    /// Members of a part of the body, which other calls have as well.
    package static func part<Part>(
        _ path: any WritableKeyPath<Body, Part> & Sendable, _ members: [Member<Part>]
    ) -> [Member] {
        members.map { member in
            Member(member.name, fields: member.fields(in:)) { (fields, body) throws(FieldDefect) in
                try member.read(fields, &body[keyPath: path])
            }
        }
    }

    /// Several members that another reader reads at once, because they depend on each other.
    package static func whole(
        _ described: @escaping @autoclosure @Sendable () -> [Field],
        _ read: @escaping @Sendable (FieldReader, inout Body) throws(FieldDefect) -> Void
    ) -> Member {
        Member("", fields: { _ in described() }, read: read)
    }
}
