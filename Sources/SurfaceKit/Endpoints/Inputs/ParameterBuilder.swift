/// Builds the parameters of a call. Each one is type-checked separately.
@resultBuilder
package enum ParameterBuilder<Body: Sendable, Refusal: SurfaceError> {
    package static func buildExpression(
        _ member: ParameterMember<Body, Refusal>
    ) -> [ParameterMember<Body, Refusal>] { [member] }

    package static func buildExpression(
        _ members: [ParameterMember<Body, Refusal>]
    ) -> [ParameterMember<Body, Refusal>] { members }

    package static func buildBlock(
        _ members: [ParameterMember<Body, Refusal>]...
    ) -> [ParameterMember<Body, Refusal>] { members.flatMap { $0 } }
}
