import StrictJSON

/// A schema of the API description, read once: nearly every answer of every test is held against one.
struct OpenAPISchema: Sendable {
    indirect enum Rule: Sendable {
        case reference(String)
        case all([OpenAPISchema])
        case any([OpenAPISchema])
        case type([String])
        case values([JSONValue])
        case pattern(Pattern)
        case length(ClosedRange<Int>, word: String)
        case count(ClosedRange<Int>, word: String)
        case number(ClosedRange<Int64>, word: String)
        case required([String])
        case members([(name: String, schema: OpenAPISchema)])
        case otherMembers(besides: [String], schema: OpenAPISchema?)
        case elements(OpenAPISchema)
        case condition(OpenAPISchema, then: OpenAPISchema)
        case not(OpenAPISchema)
        /// A word of JSON Schema that the check does not know, or one with a value that it cannot have.
        case unknown(String)
    }

    /// A regular expression that several tests may use at one time: matching changes nothing of it.
    struct Pattern: @unchecked Sendable {
        let expression: Regex<AnyRegexOutput>
    }

    /// In the order of the document, after what it refers to.
    let rules: [Rule]
    /// Words that do not count as constraints, or are read with another word.
    private static let notes: Set<String> = ["description", "format", "example", "$ref", "allOf", "anyOf", "then"]

    init(_ schema: JSONObject) {
        var rules: [Rule] = []
        if let target = schema["$ref"]?.string { rules.append(.reference(target)) }
        if let parts = schema["allOf"]?.array { rules.append(.all(parts.map(Self.init(_:)))) }
        if let choices = schema["anyOf"]?.array { rules.append(.any(choices.map(Self.init(_:)))) }
        for member in schema.members where !Self.notes.contains(member.name) {
            rules.append(Self.rule(member.name, member.value, in: schema) ?? .unknown(member.name))
        }
        self.rules = rules
    }

    private init(_ value: JSONValue) {
        self.init(value.object ?? JSONObject())
    }

    private static func rule(_ word: String, _ value: JSONValue, in schema: JSONObject) -> Rule? {
        switch word {
        case "type": .type(value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? [])
        case "enum": value.array.map { .values($0) }
        case "pattern": value.string.flatMap { try? Regex($0) }.map { .pattern(Pattern(expression: $0)) }
        case "minLength", "maxLength": range(value, word).map { .length($0, word: word) }
        case "minItems", "maxItems": range(value, word).map { .count($0, word: word) }
        case "minimum", "maximum":
            value.integer.map { .number(word == "minimum" ? $0...Int64.max : Int64.min...$0, word: word) }
        case "required": .required((value.array ?? []).compactMap(\.string))
        case "properties":
            .members((value.object?.members ?? []).map { ($0.name, OpenAPISchema($0.value)) })
        case "additionalProperties":
            .otherMembers(
                besides: schema["properties"]?.object?.names ?? [],
                schema: value.bool == false ? nil : OpenAPISchema(value))
        case "items": .elements(OpenAPISchema(value))
        case "if": .condition(OpenAPISchema(value), then: OpenAPISchema(schema["then"] ?? .null))
        case "not": .not(OpenAPISchema(value))
        default: nil
        }
    }

    private static func range(_ value: JSONValue, _ word: String) -> ClosedRange<Int>? {
        value.integer.map { word.hasPrefix("min") ? Int($0)...Int.max : Int.min...Int($0) }
    }
}
