package import Possession
package import StrictJSON

/// The form of one member's value in an answer: how it is written, and its schema.
package struct Output<Value>: Sendable {
    let write: @Sendable (Value) -> JSONValue
    private let makeSchema: @Sendable () -> Schema

    package init(
        _ schema: @escaping @autoclosure @Sendable () -> Schema, write: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.write = write
        makeSchema = schema
    }

    package var schema: Schema { makeSchema() }

    /// A member that is JSON `null` if there is no value. Most members are left out instead (`ReplyMember.whenThere`).
    package var orNull: Output<Value?> {
        Output<Value?>(schema.orNull) { [write] value in value.map(write) ?? .null }
    }
}

extension Output where Value == String {
    package static var text: Output { Output(Schema.text()) { .string($0) } }

    package static func text(_ schema: @escaping @autoclosure @Sendable () -> Schema) -> Output {
        Output(schema()) { .string($0) }
    }
}

extension Output where Value == Bool {
    package static var flag: Output { Output(Schema.flag) { .bool($0) } }
}

extension Output where Value == Int {
    package static func integer(_ range: ClosedRange<Int>) -> Output {
        Output(Schema.integer(range)) { .integer(Int64($0)) }
    }
}

extension Output where Value == Timestamp {
    package static var seconds: Output { Output(Schema.integer(0...Int.max)) { .integer($0.seconds) } }
    package static var moment: Output { Output(Schema.moment) { .string($0.rfc3339) } }
}

extension Output where Value: RawRepresentable<String> & Sendable {
    /// One of the values.
    package static func choice(_ choices: [Value]) -> Output {
        Output(Schema.choice(choices.map(\.rawValue))) { .string($0.rawValue) }
    }
}

extension Output {
    package static func identifier(_ type: Value.Type = Value.self) -> Output where Value: Identifier {
        Output(Schema.identifier) { .string($0.text) }
    }
}

extension Output {
    /// An object that other code has written.
    package static func object(
        _ schema: @escaping @autoclosure @Sendable () -> Schema
    ) -> Output where Value == JSONObject {
        Output(schema()) { .object($0) }
    }
}

extension Output {
    /// An object with its own members.
    package static func object(_ reply: Reply<Value>) -> Output {
        Output(reply.schema) { .object(reply.object($0)) }
    }

    package static func list<Element>(of element: Output<Element>) -> Output where Value == [Element] {
        Output(Schema.list(of: element.schema)) { .array($0.map(element.write)) }
    }
}
