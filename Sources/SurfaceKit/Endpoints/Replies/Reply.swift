package import HTTPServer
package import StrictJSON

/// The members of an object in an answer, in order. The writing and the API description both come from it. As an
/// endpoint's answer it is JSON with status 200.
///
///     static let reply = Reply<Started> {
///         ReplyMember.always("correlationId", .identifier, "The session.") { $0.correlationID }
///         ReplyMember.whenThere("phoneNumber", .text, "E.164.") { $0.number }
///     }
package struct Reply<Value>: ReplyForm {
    /// One object, for the same reason as `Shape.Parts`.
    private final class Parts: Sendable {
        let name: String?
        let headers: [(name: String, value: String)]
        let example: StaticString?
        let write: @Sendable (Value) -> JSONObject
        let makeDefinition: @Sendable () -> Schema

        init(
            name: String? = nil, headers: [(name: String, value: String)] = [], example: StaticString? = nil,
            write: @escaping @Sendable (Value) -> JSONObject, makeDefinition: @escaping @Sendable () -> Schema
        ) {
            self.name = name
            self.headers = headers
            self.example = example
            self.write = write
            self.makeDefinition = makeDefinition
        }
    }

    private let parts: Parts

    /// The name of the schema in the document; `nil`: the schema is written inline.
    package var name: String? { parts.name }

    /// - Parameters:
    ///   - name: for an object that several calls return.
    ///   - headers: constant header fields of an endpoint's answer.
    ///   - example: for the API description, if no answer of the call is recorded.
    package init(
        name: String? = nil, headers: [(name: String, value: String)] = [], example: StaticString? = nil,
        @ReplyBuilder<Value> _ members: () -> [ReplyMember<Value>]
    ) {
        let members = members()
        let names = members.map(\.name)
        let writes = members.map(\.write)
        parts = Parts(
            name: name, headers: headers, example: example,
            write: { value in
                var object = JSONObject()
                for index in names.indices { object[names[index]] = writes[index](value) }
                return object
            }, makeDefinition: { .record(members.map(\.field)) })
    }

    /// An object that other code writes, because its members depend on each other.
    package init(
        _ schema: @escaping @autoclosure @Sendable () -> Schema, write: @escaping @Sendable (Value) -> JSONObject
    ) {
        parts = Parts(write: write, makeDefinition: schema)
    }

    package func object(_ value: Value) -> JSONObject { parts.write(value) }

    package func response(_ value: Value) -> Response {
        var response = Response.json(200, parts.write(value))
        for (name, value) in parts.headers { response.add(name, value) }
        return response
    }

    package func answers(_ call: Call) -> [Answer] {
        [
            Answer(
                status: 200, about: call.answer, content: .json(schema, parts.example),
                headers: call.headers + parts.headers.map(\.name))
        ]
    }

    /// The schema where the object is used.
    package var schema: Schema { name.map(definition.called) ?? definition }

    /// The schema with the members.
    package var definition: Schema { parts.makeDefinition() }

    /// Its entry among the named schemas of the document.
    package var named: (name: String, schema: Schema) { (name ?? "", definition) }
}
