internal import StrictJSON

/// The members of an object in a request, in the order in which they are read: of several mistakes the first is named.
///
///     static let body = Shape(Order()) {
///         Member.required("phoneNumber", .text(.phoneNumber), "The claimed number.") { $0.number = $1 }
///         Member.optional("rebind", .flag, "The key may move.") { $0.rebind = $1 }
///     }
///
/// `read` and the types it uses are public, because the compiler specializes generic code of another target only where it
/// is inlinable and public (Swift 6.3). Code that is not specialized looks up type metadata for each value.
public struct Shape<Body: Sendable>: Sendable {
    /// One object: a copy of the shape then counts one reference. All loops count it, and such a count is slow.
    @usableFromInline
    final class Parts: Sendable {
        @usableFromInline let empty: Body
        @usableFromInline let members: [Member<Body>]
        @usableFromInline let check: (@Sendable (inout Body) throws(FieldDefect) -> Void)?
        /// Adds to the schema what it says beyond the members.
        let refine: @Sendable (Schema) -> Schema
        let names: [String]
        /// The name of its schema in the document, where it is an object within a body.
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

    /// Whether whatever is read is the same.
    var isEmpty: Bool { parts.members.isEmpty && parts.check == nil }

    /// Names of all members, for bodies in which others are refused.
    package var names: [String] { parts.names }

    /// - Parameters:
    ///   - empty: the body before any member is read. Members that are required replace what it has for them.
    ///   - name: of its schema in the document, where it is an object within a body.
    ///   - refine: adds to the schema what no member says by itself.
    ///   - check: a rule over several members, after all of them were read.
    package init(
        _ empty: Body, name: String? = nil, refine: @escaping @Sendable (Schema) -> Schema = { $0 },
        check: (@Sendable (inout Body) throws(FieldDefect) -> Void)? = nil,
        @MemberBuilder<Body> _ members: () -> [Member<Body>]
    ) {
        parts = Parts(empty, name: name, members(), check, refine)
    }

    /// The shape of a call that has parameters, and no member in a body.
    package init(_ empty: Body) { self.init(empty) {} }

    /// - Throws: the first member that is not as it must be.
    @inlinable
    public func read(_ fields: FieldReader) throws(FieldDefect) -> Body {
        let parts = parts
        var body = parts.empty
        for index in parts.members.indices {
            // Most callers send only a few of the members that may be there.
            guard parts.members[index].isNeeded || fields.has(parts.members[index].name) else { continue }
            try parts.members[index].read(fields, &body)
        }
        try parts.check?(&body)
        return body
    }

    /// The same with one member more.
    package func and(_ member: Member<Body>) -> Shape {
        Shape(parts.empty, name: parts.name, refine: parts.refine, check: parts.check) {
            parts.members
            member
        }
    }

    /// The members as the API description has them.
    package var fields: [Field] { parts.members.flatMap(\.fields) }

    /// - Parameter others: whether further members may be there, which nobody looks at.
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

/// The body of an endpoint that reads nothing, or the answer of one that answers no members.
package struct Nothing: Sendable {
    package init() {}
}
