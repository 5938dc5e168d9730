import StrictJSON

/// Holds JSON against a schema of the API description: the words of JSON Schema 2020-12 that it uses, and no others.
struct OpenAPISchemaCheck {
    private let document: JSONObject
    /// What does not count as a constraint.
    private static let notes: Set<String> = ["description", "format", "example", "$ref", "allOf", "anyOf", "then"]

    init(_ document: JSONObject) {
        self.document = document
    }

    /// What is wrong with `value`, each with the path to it; empty when it is valid.
    func defects(of value: JSONValue, _ schema: JSONObject, at path: String = "$") -> [String] {
        var defects: [String] = []
        if let target = schema["$ref"]?.string {
            guard let named = resolve(target) else { return ["\(path): \(target) is not in the document"] }
            defects += self.defects(of: value, named, at: path)
        }
        for part in schema["allOf"]?.array ?? [] {
            defects += self.defects(of: value, part.object ?? JSONObject(), at: path)
        }
        if let choices = schema["anyOf"]?.array?.compactMap(\.object) {
            let each = choices.map { self.defects(of: value, $0, at: path) }
            if !each.contains(where: \.isEmpty) { defects.append("\(path): fits none of anyOf: \(each)") }
        }
        for member in schema.members where !Self.notes.contains(member.name) {
            defects += breach(of: member.name, member.value, by: value, schema, at: path)
        }
        return defects
    }

    func resolve(_ reference: String) -> JSONObject? {
        reference.split(separator: "/").dropFirst().reduce(JSONValue.object(document)) { value, name in
            value?.object?[String(name)]
        }?.object
    }

    private func breach(
        of word: String, _ rule: JSONValue, by value: JSONValue, _ schema: JSONObject, at path: String
    ) -> [String] {
        switch word {
        case "type":
            let types = rule.string.map { [$0] } ?? rule.array?.compactMap(\.string) ?? []
            let isNumber = types.contains("number") && value.integer != nil
            return isNumber || types.contains(type(of: value)) ? [] : ["\(path): is no \(types)"]
        case "enum": return rule.array?.contains(value) == true ? [] : ["\(path): \(value) is not one of the values"]
        case "pattern":
            guard let text = value.string else { return [] }
            guard let pattern = rule.string.flatMap({ try? Regex($0) }) else { return ["\(path): no pattern"] }
            return text.contains(pattern) ? [] : ["\(path): '\(text)' has another form"]
        case "minLength", "maxLength":
            guard let count = value.string?.unicodeScalars.count, let limit = rule.integer else { return [] }
            return (word == "minLength" ? count >= limit : count <= limit) ? [] : ["\(path): \(word)"]
        case "minItems", "maxItems":
            guard let count = value.array?.count, let limit = rule.integer else { return [] }
            return (word == "minItems" ? count >= limit : count <= limit) ? [] : ["\(path): \(word)"]
        case "minimum", "maximum":
            guard let number = value.integer, let limit = rule.integer else { return [] }
            return (word == "minimum" ? number >= limit : number <= limit) ? [] : ["\(path): \(word)"]
        case "required":
            guard let object = value.object else { return [] }
            return (rule.array ?? []).compactMap(\.string).filter { object[$0] == nil }.map {
                "\(path).\($0): is missing"
            }
        case "properties":
            return (rule.object?.members ?? []).flatMap { member -> [String] in
                guard let part = value.object?[member.name], let schema = member.value.object else { return [] }
                return defects(of: part, schema, at: "\(path).\(member.name)")
            }
        case "additionalProperties": return others(rule, value, schema, at: path)
        case "items":
            return (value.array ?? []).enumerated().flatMap { index, element in
                defects(of: element, rule.object ?? JSONObject(), at: "\(path)[\(index)]")
            }
        case "if":
            guard defects(of: value, rule.object ?? JSONObject(), at: path).isEmpty else { return [] }
            return defects(of: value, schema["then"]?.object ?? JSONObject(), at: path)
        case "not":
            return defects(of: value, rule.object ?? JSONObject(), at: path).isEmpty ? ["\(path): fits not"] : []
        default: return ["\(path): the check does not know the word \(word)"]
        }
    }

    private func others(_ rule: JSONValue, _ value: JSONValue, _ schema: JSONObject, at path: String) -> [String] {
        let known = schema["properties"]?.object?.names ?? []
        return (value.object?.members ?? []).filter { !known.contains($0.name) }.flatMap { member in
            if rule.bool == false { return ["\(path).\(member.name): is not described"] }
            return defects(of: member.value, rule.object ?? JSONObject(), at: "\(path).\(member.name)")
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
