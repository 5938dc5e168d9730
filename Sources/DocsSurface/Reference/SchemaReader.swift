internal import StrictJSON
internal import SurfaceKit

/// Converts the schemas of a document for people.
struct SchemaReader: Sendable {
    private let schemas: JSONObject
    private static let prefix = "#/components/schemas/"

    init(_ document: JSONObject) {
        schemas = document["components"]?.object?["schemas"]?.object ?? JSONObject()
    }

    /// The name of a named schema, or of the named schema that it narrows.
    func name(of schema: JSONValue?) -> String? {
        guard let object = schema?.object else { return nil }
        if let text = object["$ref"]?.string, text.hasPrefix(Self.prefix) {
            return String(text.dropFirst(Self.prefix.count))
        }
        return object["allOf"]?.array.flatMap { $0.lazy.compactMap { name(of: $0) }.first }
    }

    /// The members of an object; members of nested objects follow their own object.
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

    /// Names of the schemas that the given ones refer to, directly or indirectly, without the given ones' own names.
    private func named(in given: [JSONValue?]) -> [String] {
        var found: [String] = []
        func visit(_ value: JSONValue, isTop: Bool) {
            if let name = value.object?["$ref"]?.string.map({ String($0.dropFirst(Self.prefix.count)) }) {
                guard isTop || !found.contains(name) else { return }
                if !isTop { found.append(name) }
                if let schema = schemas[name] { visit(schema, isTop: false) }
                return
            }
            for member in value.object?.members ?? [] where member.name != "example" {
                visit(member.value, isTop: isTop && member.name == "allOf")
            }
            for element in value.array ?? [] { visit(element, isTop: isTop) }
        }
        for schema in given.compactMap({ $0 }) { visit(schema, isTop: true) }
        return found
    }

    /// The schemas that the given ones refer to, each collapsed, for the end of a page.
    func shapes(in given: [JSONValue?]) -> HTML {
        let names = named(in: given)
        guard !names.isEmpty else { return .empty }
        let parts = names.map { name -> HTML in
            let rows = rows(of: schemas[name])
            let content: HTML = rows.isEmpty ? "<p>\(type(of: schemas[name]))</p>" : FieldRow.table(rows)
            return "<details id=\"schema-\(name)\"><summary>\(name)</summary>\(content)</details>"
        }
        return "<h2 id=\"shapes\">Shapes</h2>\(joined(parts))"
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
