/// Builds the members of an answer. Each one is type-checked separately.
@resultBuilder
package enum ReplyBuilder<Value> {
    package static func buildExpression(_ member: ReplyMember<Value>) -> [ReplyMember<Value>] { [member] }

    package static func buildExpression(_ members: [ReplyMember<Value>]) -> [ReplyMember<Value>] { members }

    package static func buildBlock(_ members: [ReplyMember<Value>]...) -> [ReplyMember<Value>] {
        members.flatMap { $0 }
    }
}
