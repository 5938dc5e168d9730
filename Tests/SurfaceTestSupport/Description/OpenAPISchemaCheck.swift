import Locks
import StrictJSON

/// Holds JSON against a schema of the API description: the words of JSON Schema 2020-12 that it uses, and no others.
final class OpenAPISchemaCheck: Sendable {
    private let document: JSONObject
    /// The schemas that others refer to, each read at its first use.
    private let named = Locked<[String: OpenAPISchema]>([:])

    init(_ document: JSONObject) {
        self.document = document
    }

    func defects(of value: JSONValue, _ schema: JSONObject, at path: String = "$") -> [String] {
        defects(of: value, OpenAPISchema(schema), at: path)
    }

    /// Defects of `value`, each with the path to it; empty when it is valid.
    func defects(of value: JSONValue, _ schema: OpenAPISchema, at path: String = "$") -> [String] {
        var defects: [String] = []
        for rule in schema.rules { defects += breach(of: rule, by: value, at: path) }
        return defects
    }

    func resolve(_ reference: String) -> JSONObject? {
        reference.split(separator: "/").dropFirst().reduce(JSONValue.object(document)) { value, name in
            value?.object?[String(name)]
        }?.object
    }

    private func schema(_ reference: String) -> OpenAPISchema? {
        if let known = named.withLock({ $0[reference] }) { return known }
        guard let read = resolve(reference).map({ OpenAPISchema($0) }) else { return nil }
        named.withLock { $0[reference] = read }
        return read
    }

    private func breach(of rule: OpenAPISchema.Rule, by value: JSONValue, at path: String) -> [String] {
        switch rule {
        case .reference(let target):
            guard let schema = schema(target) else { return ["\(path): \(target) is not in the document"] }
            return defects(of: value, schema, at: path)
        case .all(let parts): return parts.flatMap { defects(of: value, $0, at: path) }
        case .any(let choices):
            let each = choices.map { defects(of: value, $0, at: path) }
            return each.contains(where: \.isEmpty) ? [] : ["\(path): fits none of anyOf: \(each)"]
        case .type(let types):
            let isNumber = value.integer != nil && types.contains("number")
            return isNumber || types.contains(type(of: value)) ? [] : ["\(path): is no \(types)"]
        case .values(let values): return values.contains(value) ? [] : ["\(path): \(value) is not one of the values"]
        case .pattern(let pattern):
            guard let text = value.string else { return [] }
            return text.contains(pattern.expression) ? [] : ["\(path): '\(text)' has another form"]
        case .length(let allowed, let word):
            guard let count = value.string?.unicodeScalars.count else { return [] }
            return allowed.contains(count) ? [] : ["\(path): \(word)"]
        case .count(let allowed, let word):
            guard let count = value.array?.count else { return [] }
            return allowed.contains(count) ? [] : ["\(path): \(word)"]
        case .number(let allowed, let word):
            guard let number = value.integer else { return [] }
            return allowed.contains(number) ? [] : ["\(path): \(word)"]
        case .required(let names):
            guard let object = value.object else { return [] }
            return names.filter { object[$0] == nil }.map { "\(path).\($0): is missing" }
        case .members(let members):
            guard let object = value.object else { return [] }
            return members.flatMap { member -> [String] in
                guard let part = object[member.name] else { return [] }
                return defects(of: part, member.schema, at: "\(path).\(member.name)")
            }
        case .otherMembers(let known, let schema):
            return (value.object?.members ?? []).filter { !known.contains($0.name) }.flatMap { member in
                guard let schema else { return ["\(path).\(member.name): is not described"] }
                return defects(of: member.value, schema, at: "\(path).\(member.name)")
            }
        case .elements(let schema):
            return (value.array ?? []).enumerated().flatMap { index, element in
                defects(of: element, schema, at: "\(path)[\(index)]")
            }
        case .condition(let condition, let then):
            return defects(of: value, condition, at: path).isEmpty ? defects(of: value, then, at: path) : []
        case .not(let schema): return defects(of: value, schema, at: path).isEmpty ? ["\(path): fits not"] : []
        case .unknown(let word): return ["\(path): the check does not know the word \(word)"]
        }
    }

    private func type(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
