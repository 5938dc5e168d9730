internal import StrictJSON

/// The members of an object in a request, in the order in which they are read: of several mistakes, the first is
/// reported.
///
///     static let body = Shape(Order()) {
///         Member.required("phoneNumber", .text(.phoneNumber), "The claimed number.") { $0.number = $1 }
///         Member.optional("rebind", .flag, "The key may move.") { $0.rebind = $1 }
///     }
///
/// `read` and the types it uses are public, because the compiler specializes generic code of another target only if it
/// is inlinable and public (Swift 6.3). Unspecialized code looks up type metadata for each value.
public struct Shape<Body: Sendable>: Sendable {
    /// One object, so that a copy of the shape counts one reference. All loops share the count, which makes counting
    /// slow.
    @usableFromInline
    final class Parts: Sendable {
        @usableFromInline let empty: Body
        @usableFromInline let members: [Member<Body>]
        @usableFromInline let check: (@Sendable (inout Body) throws(FieldDefect) -> Void)?
        /// Adds to the schema rules that the members do not express.
        let refine: @Sendable (Schema) -> Schema
        let names: [String]
        /// The name of its schema in the document, if it is an object within a body.
        let name: String?

        init(
            _ empty: Body, name: String?, _ members: [Member<Body>],
            _ check: (@Sendable (inout Body) throws(FieldDefect) -> Void)?,
            _ refine: @escaping @Sendable (Schema) -> Schema
        ) {
            self.empty = empty
            self.name = name
            self.members = members
            self.check = check
            self.refine = refine
            names = members.map(\.name)
        }
    }

    @usableFromInline let parts: Parts

    /// Whether it reads nothing.
    var isEmpty: Bool { parts.members.isEmpty && parts.check == nil }

    /// Names of all members, for bodies that must have no others.
    package var names: [String] { parts.names }

    /// - Parameters:
    ///   - empty: the body before any member is read. Required members replace its values.
    ///   - name: of its schema in the document, if it is an object within a body.
    ///   - refine: adds to the schema rules that the members do not express.
    ///   - check: a rule for several members, run after all of them were read.
    package init(
        _ empty: Body, name: String? = nil, refine: @escaping @Sendable (Schema) -> Schema = { $0 },
        check: (@Sendable (inout Body) throws(FieldDefect) -> Void)? = nil,
        @MemberBuilder<Body> _ members: () -> [Member<Body>]
    ) {
        parts = Parts(empty, name: name, members(), check, refine)
    }

    /// The shape of a call that has parameters but no members in a body.
    package init(_ empty: Body) { self.init(empty) {} }

    /// - Throws: the first invalid member.
    @inlinable
    public func read(_ fields: FieldReader) throws(FieldDefect) -> Body {
        let parts = parts
        var body = parts.empty
        for index in parts.members.indices {
            // Most callers send only a few of the optional members.
            guard parts.members[index].isNeeded || fields.has(parts.members[index].name) else { continue }
            try parts.members[index].read(fields, &body)
        }
        try parts.check?(&body)
        return body
    }

    /// The same shape with one more member.
    package func and(_ member: Member<Body>) -> Shape {
        Shape(parts.empty, name: parts.name, refine: parts.refine, check: parts.check) {
            parts.members
            member
        }
    }

    /// The API description of the members.
    package var fields: [Field] { parts.members.flatMap(\.fields) }

    /// - Parameter others: whether further members are allowed; they are ignored.
    package func schema(others: Bool) -> Schema { parts.refine(.record(fields, others: others)) }

    /// The schema of an object within a body.
    package var schema: Schema {
        let schema = schema(others: true)
        return parts.name.map(schema.called) ?? schema
    }
}

extension Shape<Nothing> {
    /// A body without members.
    package static let nothing = Shape(Nothing())
}

/// The body of an endpoint that reads nothing, or the answer of an endpoint without members.
package struct Nothing: Sendable {
    package init() {}
}
