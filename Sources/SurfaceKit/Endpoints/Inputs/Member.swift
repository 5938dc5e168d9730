/// One member of a request: its name, the rule for its value, and the place for the value. The reading and the API
/// description both come from it.
///
///     Member.required("correlationId", .anyText, "It names the session.") { $0.correlationID = $1 }
public struct Member<Body: Sendable>: Sendable {
    @usableFromInline let name: String
    /// Whether it is read even if the object does not have it.
    @usableFromInline let isNeeded: Bool
    @usableFromInline let read: @Sendable (FieldReader, inout Body) throws(FieldDefect) -> Void
    private let description: MemberDescription

    @usableFromInline
    init(
        _ name: String, isNeeded: Bool = false, _ description: MemberDescription,
        read: @escaping @Sendable (FieldReader, inout Body) throws(FieldDefect) -> Void
    ) {
        self.name = name
        self.isNeeded = isNeeded
        self.read = read
        self.description = description
    }

    /// Its API description: one field, or several for members that are read together.
    package var fields: [Field] { description.fields() }

    /// A required member.
    @inlinable
    public static func required<Value>(
        _ name: String, _ input: Input<Value>, _ about: String = "",
        _ set: @escaping @Sendable (inout Body, Value) throws(FieldDefect) -> Void
    ) -> Member {
        Member(name, isNeeded: true, .required(name, input, about)) { (fields, body) throws(FieldDefect) in
            guard let value = try input.read(fields, name) else { throw .missing(name) }
            try set(&body, value)
        }
    }

    /// A member that may be absent; then nothing is set. `null` and an empty text count as absent.
    @inlinable
    public static func optional<Value>(
        _ name: String, _ input: Input<Value>, _ about: String = "",
        _ set: @escaping @Sendable (inout Body, Value) -> Void
    ) -> Member {
        Member(name, .optional(name, input, about)) { (fields, body) throws(FieldDefect) in
            if let value = try input.read(fields, name) { set(&body, value) }
        }
    }

    /// A required member, for which the endpoint itself reports that it is missing.
    package static func described<Value>(
        _ field: @escaping @autoclosure @Sendable () -> Field, _ name: String, _ input: Input<Value>,
        _ set: @escaping @Sendable (inout Body, Value) -> Void
    ) -> Member {
        Member(name, MemberDescription { [field()] }) { (fields, body) throws(FieldDefect) in
            if let value = try input.read(fields, name) { set(&body, value) }
        }
    }

    /// A member that is checked if it is present, and has no effect.
    package static func ignored<Value>(_ name: String, _ input: Input<Value>, _ about: String = "") -> Member {
        optional(name, input, about) { _, _ in }
    }

    /// Members of a part of the body, which other calls have too.
    package static func part<Part>(
        _ path: any WritableKeyPath<Body, Part> & Sendable, _ members: [Member<Part>]
    ) -> [Member] {
        members.map { member in
            Member(member.name, isNeeded: member.isNeeded, member.description) { (fields, body) throws(FieldDefect) in
                try member.read(fields, &body[keyPath: path])
            }
        }
    }

    /// Several members that another reader reads together, because they depend on each other.
    package static func whole(
        _ described: @escaping @autoclosure @Sendable () -> [Field],
        _ read: @escaping @Sendable (FieldReader, inout Body) throws(FieldDefect) -> Void
    ) -> Member {
        Member("", isNeeded: true, MemberDescription { described() }, read: read)
    }
}

/// The API description of a member.
@usableFromInline
struct MemberDescription: Sendable {
    let fields: @Sendable () -> [Field]

    init(_ fields: @escaping @Sendable () -> [Field]) {
        self.fields = fields
    }

    @usableFromInline
    static func required<Value>(_ name: String, _ input: Input<Value>, _ about: String) -> MemberDescription {
        MemberDescription { [must(name, input.schema, about)] }
    }

    @usableFromInline
    static func optional<Value>(_ name: String, _ input: Input<Value>, _ about: String) -> MemberDescription {
        MemberDescription { [may(name, input.schema, about)] }
    }
}
