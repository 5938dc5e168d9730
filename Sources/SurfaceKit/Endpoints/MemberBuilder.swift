/// Puts the members of a shape together. Each one is type-checked by itself.
@resultBuilder
package enum MemberBuilder<Body: Sendable> {
    package static func buildExpression(_ member: Member<Body>) -> [Member<Body>] { [member] }

    package static func buildExpression(_ members: [Member<Body>]) -> [Member<Body>] { members }

    package static func buildBlock(_ members: [Member<Body>]...) -> [Member<Body>] { members.flatMap { $0 } }
}
