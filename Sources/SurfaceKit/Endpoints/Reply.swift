package import StrictJSON

/// The members of an object in an answer, in their order. Both the writing and the API description come from it.
///
///     static let reply = Reply<Started> {
///         ReplyMember.always("correlationId", .identifier, "The session.") { $0.correlationID }
///         ReplyMember.whenThere("phoneNumber", .text) { $0.number }
///     }
package struct Reply<Value>: Sendable {
    /// Of the schema in the document; `nil`: the schema stands where it is used.
    package let name: String?
    private let write: @Sendable (Value) -> JSONObject
    private let makeDefinition: @Sendable () -> Schema

    /// - Parameter name: for an object that several calls answer.
    package init(name: String? = nil, @ReplyBuilder<Value> _ members: () -> [ReplyMember<Value>]) {
        let members = members()
        self.name = name
        write = { value in
            var object = JSONObject()
            for member in members { object[member.name] = member.write(value) }
            return object
        }
        makeDefinition = { .record(members.map(\.field)) }
    }

    /// An object that something else writes: one whose members depend on each other.
    package init(
        _ schema: @escaping @autoclosure @Sendable () -> Schema, write: @escaping @Sendable (Value) -> JSONObject
    ) {
        name = nil
        self.write = write
        makeDefinition = schema
    }

    package func object(_ value: Value) -> JSONObject { write(value) }

    /// Where the object is used.
    package var schema: Schema { name.map { .named($0) } ?? definition }

    /// The members themselves.
    package var definition: Schema { makeDefinition() }

    /// For the named schemas of the document.
    package var named: (name: String, schema: Schema) { (name ?? "", definition) }
}
