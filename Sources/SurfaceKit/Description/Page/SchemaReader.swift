internal import StrictJSON

/// Reads the schemas of the document for people.
struct SchemaReader: Sendable {
    private let schemas: JSONObject
    private let ofOneCall: Set<String>
    private static let prefix = "#/components/schemas/"

    init(_ document: JSONObject) {
        schemas = document["components"]?.object?["schemas"]?.object ?? JSONObject()
        let calls = (document["paths"]?.object?.members ?? []).flatMap { $0.value.object?.members ?? [] }
        let ids = calls.compactMap { $0.value.object?["operationId"]?.string }
        ofOneCall = Set(
            ids.map { $0.prefix(1).uppercased() + $0.dropFirst() }.flatMap { ["\($0)Body", "\($0)Answer"] })
    }

    /// Whether the named schema is the body or the answer of one call: it is shown there.
    func isOfOneCall(_ name: String) -> Bool { ofOneCall.contains(name) }

    /// The name of a schema that has one, or narrows one that does.
    func name(of schema: JSONValue?) -> String? {
        guard let object = schema?.object else { return nil }
        if let text = object["$ref"]?.string, text.hasPrefix(Self.prefix) {
            return String(text.dropFirst(Self.prefix.count))
        }
        return object["allOf"]?.array.flatMap { $0.lazy.compactMap { name(of: $0) }.first }
    }

    /// The members of an object, those of objects within it after their own name.
    func rows(of schema: JSONValue?, under prefix: String = "") -> [FieldRow] {
        guard let object = schema?.object else { return [] }
        if let choices = (object["anyOf"] ?? object["oneOf"])?.array {
            return choices.flatMap { rows(of: $0, under: prefix) }
        }
        if let name = name(of: schema) { return prefix.isEmpty ? rows(of: schemas[name]) : [] }
        let required = (object["required"]?.array ?? []).compactMap(\.string)
        return (object["properties"]?.object?.members ?? []).flatMap { member -> [FieldRow] in
            let row = FieldRow(
                name: prefix + member.name, isRequired: required.contains(member.name), type: type(of: member.value),
                about: member.value.object?["description"]?.string ?? "")
            let items = member.value.object?["items"]
            return [row] + rows(of: member.value, under: "\(prefix)\(member.name).")
                + (items.map { rows(of: $0, under: "\(prefix)\(member.name)[].") } ?? [])
        }
    }

    func type(of schema: JSONValue?) -> HTML {
        guard let object = schema?.object else { return "any" }
        if let name = name(of: schema) { return "<a href=\"#schema-\(name)\">\(name)</a>" }
        if let values = object["enum"]?.array {
            return joined(values.compactMap(\.string).map { "<code>\($0)</code>" }, by: ", ")
        }
        if let choices = (object["anyOf"] ?? object["oneOf"])?.array {
            return joined(choices.map { type(of: $0) }, by: " or ")
        }
        switch object["type"]?.string ?? object["type"]?.array?.first?.string {
        case "array": return "list of \(type(of: object["items"]))"
        case "string": return "\(Self.text(object))"
        case "integer": return "\(Self.integer(object))"
        case "boolean": return "true or false"
        case "object": return "object"
        default: return "any"
        }
    }

    private static func text(_ object: JSONObject) -> String {
        switch object["format"]?.string {
        case "uuid": return "UUID"
        case "date-time": return "time"
        case "uri": return "URL"
        default: break
        }
        guard let most = object["maxLength"]?.integer else { return "text" }
        return "text, up to \(most) characters"
    }

    private static func integer(_ object: JSONObject) -> String {
        guard let least = object["minimum"]?.integer, let most = object["maximum"]?.integer else {
            return "whole number"
        }
        return "whole number, \(least) to \(most)"
    }
}
