/// Builds the members of a shape. Each one is type-checked separately.
@resultBuilder
package enum MemberBuilder<Body: Sendable> {
    package static func buildExpression(_ member: Member<Body>) -> [Member<Body>] { [member] }

    package static func buildExpression(_ members: [Member<Body>]) -> [Member<Body>] { members }

    package static func buildBlock(_ members: [Member<Body>]...) -> [Member<Body>] { members.flatMap { $0 } }
}
