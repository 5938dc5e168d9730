internal import StrictJSON

/// One member of an answer: its name, its value, and the source of the value.
package struct ReplyMember<Value>: Sendable {
    let name: String
    let write: @Sendable (Value) -> JSONValue?
    fileprivate let makeField: @Sendable () -> Field

    var field: Field { makeField() }

    /// A member that every answer has.
    package static func always<Member>(
        _ name: String, _ output: Output<Member>, _ about: String = "",
        _ value: @escaping @Sendable (Value) -> Member
    ) -> ReplyMember {
        ReplyMember(name: name, write: { output.write(value($0)) }, makeField: { must(name, output.schema, about) })
    }

    /// A member that is left out if there is no value.
    package static func whenThere<Member>(
        _ name: String, _ output: Output<Member>, _ about: String = "",
        _ value: @escaping @Sendable (Value) -> Member?
    ) -> ReplyMember {
        ReplyMember(
            name: name, write: { value($0).map(output.write) }, makeField: { may(name, output.schema, about) })
    }

    /// The members of a part of the value, which other answers have too.
    package static func part<Part>(
        _ part: @escaping @Sendable (Value) -> Part, _ members: [ReplyMember<Part>]
    ) -> [ReplyMember] {
        members.map { member in
            ReplyMember(name: member.name, write: { member.write(part($0)) }, makeField: member.makeField)
        }
    }
}
