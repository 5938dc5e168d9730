import StrictJSON
import SurfaceKit

/// Values that no field may have, made from the API description: so that no field is left out.
///
///     for bad in BadValues(of: operation.body!) { await call(bad.body) }
struct BadValues {
    struct Case: CustomStringConvertible {
        /// `options.code_size`, `events[].label`.
        let field: String
        let value: [UInt8]
        let body: [UInt8]

        var description: String { "\(field): \(String(decoding: value.prefix(40), as: UTF8.self))" }
    }

    private static let mark = "@@mark@@"

    private let content: Content
    /// With every shape in the place of the reference to it.
    private let schema: JSONObject

    init(of content: Content) {
        self.content = content
        schema = Self.expanded(content.schema.object, content.schema.definitions)
    }

    private static func expanded(_ object: JSONObject, _ definitions: [Schema.Definition]) -> JSONObject {
        let named = object["$ref"]?.string.flatMap { reference in
            definitions.last { reference == Schema.place + $0.name }?.object
        }
        var whole = JSONObject()
        for member in (named ?? object).members {
            whole[member.name] =
                switch member.value {
                case .object(let inner): .object(expanded(inner, definitions))
                default: member.value
                }
        }
        return whole
    }

    /// Cases of a body in JSON: the example, with one wrong value in it.
    var all: [Case] {
        fields(of: schema, at: [], isRequired: true).flatMap { field in
            Self.values(for: field.schema, isRequired: field.isRequired).map { value in
                Case(field: field.path.joined(separator: "."), value: value, body: body(field.path, value))
            }
        }
    }

    /// The example with a member at its end that no schema has.
    var withUnknownMember: [UInt8] {
        var object = content.example?.object ?? JSONObject()
        object.set("unknown_member", ["a": ["b", .null, 7]])
        return object.serialized()
    }

    // MARK: fields

    private typealias Field = (path: [String], schema: JSONObject, isRequired: Bool)

    private func fields(of schema: JSONObject, at path: [String], isRequired: Bool) -> [Field] {
        let required = Self.required(schema)
        return (schema["properties"]?.object?.members ?? []).flatMap { member -> [Field] in
            let inner = member.value.object ?? JSONObject()
            let isNeeded = required.contains(member.name)
            var name = member.name
            var found: [Field] = [(path + [name], inner, isNeeded)]
            var below = inner
            if let items = inner["items"]?.object {
                name += "[]"
                found.append((path + [name], items, true))
                below = items
            }
            return found + fields(of: below, at: path + [name], isRequired: isNeeded)
        }
    }

    private static func required(_ schema: JSONObject) -> [String] {
        schema["required"]?.array?.compactMap(\.string) ?? []
    }

    // MARK: values

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Wrong values for a schema, as JSON.
    static func values(for schema: JSONObject, isRequired: Bool) -> [[UInt8]] {
        let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string].compactMap { $0 }
        let ofOthers: [(type: String, text: String)] = [
            ("integer", "7"), ("boolean", "true"), ("string", #""x y""#), ("array", "[]"), ("array", #"[["a"],7]"#),
            ("object", "{}"), ("object", #"{"a":{"b":null}}"#),
        ]
        var values: [[UInt8]] = []
        if !types.isEmpty {
            values += ofOthers.filter { !types.contains($0.type) }.map { text($0.text) }
        } else {
            // A number or a text with one.
            values += ["true", "[]", "{}", #""x y""#].map(text)
        }
        if isRequired { values.append(text("null")) }
        if types.contains("integer") { values += ["1.5", "1e999", "99999999999999999999"].map(text) }
        if types.contains("string") { values += texts(for: schema, isRequired: isRequired) }
        return values
    }

    private static func texts(for schema: JSONObject, isRequired: Bool) -> [[UInt8]] {
        let most = Int(schema["maxLength"]?.integer ?? 4096)
        var values = [
            // Bytes that are no UTF-8, and half of a pair.
            [0x22, 0x61, 0xFF, 0x22], text(#""a\ud800""#), text("\"" + String(repeating: "1", count: most + 1) + "\""),
        ]
        if isRequired { values.append(text(#""""#)) }
        if schema.has("enum") { values += [#""zzz""#, #""zzz\u0000""#].map(text) }
        if schema.has("pattern") || schema.has("format") {
            values += [#""\u0000""#, #""a\u0001b""#, #""\u007f""#].map(text)
        }
        return values
    }

    // MARK: bodies

    private func body(_ path: [String], _ value: [UInt8]) -> [UInt8] {
        let whole = Self.placed(path[...], in: schema, content.example).serialized()
        let mark = Array("\"\(Self.mark)\"".utf8)
        let place = (0...whole.count - mark.count).first { whole[$0..<$0 + mark.count].elementsEqual(mark) }!
        return Array(whole[..<place]) + value + whole[(place + mark.count)...]
    }

    /// The example with the mark at a path; what the path needs beside it is made.
    private static func placed(_ path: ArraySlice<String>, in schema: JSONObject, _ example: JSONValue?) -> JSONValue {
        guard let first = path.first else { return .string(mark) }
        var object = example?.object ?? sample(schema).object ?? JSONObject()
        let isList = first.hasSuffix("[]")
        let name = isList ? String(first.dropLast(2)) : first
        let inner = schema["properties"]?.object?[name]?.object ?? JSONObject()
        let found = object[name]
        if isList {
            let item = placed(path.dropFirst(), in: inner["items"]?.object ?? JSONObject(), found?.array?.first)
            object[name] = .array([item])
        } else {
            object[name] = placed(path.dropFirst(), in: inner, found)
        }
        return .object(object)
    }

    /// A value that the schema takes.
    private static func sample(_ schema: JSONObject) -> JSONValue {
        if let value = schema["enum"]?.array?.first { return value }
        guard let properties = schema["properties"]?.object else { return "1" }
        var object = JSONObject()
        for name in required(schema) { object[name] = sample(properties[name]?.object ?? JSONObject()) }
        return .object(object)
    }
}
