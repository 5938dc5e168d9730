internal import StrictJSON

/// The members of an object in a request, in the order in which they are read: of several mistakes the first is named.
///
///     static let body = Shape(Order()) {
///         Member.required("phoneNumber", .text(.phoneNumber), "The claimed number.") { $0.number = $1 }
///         Member.optional("rebind", .flag) { $0.rebind = $1 }
///     }
package struct Shape<Body: Sendable>: Sendable {
    private let empty: Body
    private let members: [Member<Body>]
    private let check: (@Sendable (inout Body) throws(FieldDefect) -> Void)?
    /// What the schema says beyond the members.
    private let refine: @Sendable (Schema) -> Schema
    /// Of all members, for bodies in which others are refused.
    package let names: [String]

    /// - Parameters:
    ///   - empty: the body before any member is read. Members that are required replace what it has for them.
    ///   - refine: adds to the schema what no member says by itself.
    ///   - check: a rule over several members, after all of them were read.
    package init(
        _ empty: Body, refine: @escaping @Sendable (Schema) -> Schema = { $0 },
        check: (@Sendable (inout Body) throws(FieldDefect) -> Void)? = nil,
        @MemberBuilder<Body> _ members: () -> [Member<Body>]
    ) {
        self.empty = empty
        let members = members()
        self.members = members
        names = members.map(\.name)
        self.check = check
        self.refine = refine
    }

    /// Of a call that has parameters, and no member in a body.
    package init(_ empty: Body) { self.init(empty) {} }

    /// - Throws: the first member that is not as it must be.
    package func read(_ fields: FieldReader) throws(FieldDefect) -> Body {
        var body = empty
        for member in members { try member.read(fields, &body) }
        try check?(&body)
        return body
    }

    /// The same with one member more.
    package func and(_ member: Member<Body>) -> Shape {
        Shape(empty, refine: refine, check: check) {
            members
            member
        }
    }

    /// The members as the API description has them.
    package func fields(in coding: BodyForm.Coding) -> [Field] { members.flatMap { $0.fields(in: coding) } }

    var fields: [Field] { fields(in: .json) }

    /// - Parameter others: whether further members may be there, which nobody looks at.
    package func schema(others: Bool, in coding: BodyForm.Coding = .json) -> Schema {
        refine(.record(fields(in: coding), others: others))
    }

    /// Of an object within a body.
    package var schema: Schema { schema(others: true) }
}

extension Shape<Nothing> {
    /// A body without members.
    package static let nothing = Shape(Nothing())
}

/// What an endpoint reads that reads nothing, or answers where it answers no members.
package struct Nothing: Sendable {
    package init() {}
}
