package import StrictJSON

/// A JSON Schema (draft 2020-12) for the API description: the few keywords that the wire formats need.
///
/// A named shape is used by reference and carries its definition along. The document thus has each shape once, and
/// generated clients have one class for each, with a short name.
package struct Schema: Sendable, Equatable {
    /// A schema with its name.
    package struct Definition: Sendable, Equatable {
        package let name: String
        package let object: JSONObject
    }

    package private(set) var object: JSONObject
    /// Definitions that the schema refers to, innermost first.
    package private(set) var definitions: [Definition] = []

    package init(_ object: JSONObject, _ parts: [Schema] = []) {
        self.object = object
        definitions = parts.flatMap(\.definitions)
    }

    package static let anything = Schema(JSONObject())
    package static let flag = Schema(["type": "boolean"])
    package static let moment = Schema([
        "type": "string", "format": "date-time", "pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"#,
    ])
    package static let identifier = Schema([
        "type": "string", "format": "uuid", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    ])

    /// An identifier in a request, in upper or lower case (RFC 9562 section 4).
    package static let givenIdentifier = Schema([
        "type": "string", "format": "uuid", "pattern": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    ])

    /// - Parameters:
    ///   - most: in Unicode scalars, which JSON Schema and this server count.
    ///   - pattern: an ECMA-262 pattern that must match a part of the text.
    package static func text(least: Int? = nil, most: Int? = nil, pattern: String? = nil, format: String? = nil)
        -> Schema
    {
        var object: JSONObject = ["type": "string"]
        object.set("minLength", least)
        object.set("maxLength", most)
        object.set("pattern", pattern)
        object.set("format", format)
        return Schema(object)
    }

    package static func integer(_ range: ClosedRange<Int>) -> Schema {
        Schema([
            "type": "integer", "minimum": .integer(Int64(range.lowerBound)),
            "maximum": range.upperBound == .max ? nil : .integer(Int64(range.upperBound)),
        ])
    }

    package static func choice(_ values: [String]) -> Schema {
        Schema(["type": "string", "enum": .array(values.map { .string($0) })])
    }

    package static func choice<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type) -> Schema {
        choice(type.allCases.map(\.rawValue))
    }

    package static func list(of element: Schema) -> Schema {
        Schema(["type": "array", "items": .object(element.object)], [element])
    }

    /// Members with any names, all of one kind.
    package static func map(of value: Schema) -> Schema {
        Schema(["type": "object", "additionalProperties": .object(value.object)], [value])
    }

    /// - Parameter others: whether further members are allowed.
    package static func record(_ fields: [Field], others: Bool = false) -> Schema {
        var properties = JSONObject()
        for field in fields { properties.set(field.name, field.described.object) }
        let required = fields.filter(\.isRequired).map(\.name)
        var object: JSONObject = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { object.set("required", required) }
        if !others { object.set("additionalProperties", false) }
        return Schema(object, fields.map(\.schema))
    }

    /// One of the document's named schemas.
    package static func named(_ name: String) -> Schema {
        Schema(["$ref": .string(place + name)])
    }

    /// The place of the named schemas in the document.
    package static let place = "#/components/schemas/"

    /// A reference to this schema under a name.
    package func called(_ name: String) -> Schema {
        var reference = Schema.named(name)
        reference.definitions = definitions + [Definition(name: name, object: object)]
        return reference
    }

    package static func any(of schemas: [Schema]) -> Schema {
        schemas.count == 1 ? schemas[0] : Schema(["anyOf": .array(schemas.map { .object($0.object) })], schemas)
    }

    /// The object with members that must be present and not empty, unless one of `others` is. Clients are generated
    /// only from the object: generators ignore `if`, and make a class for every branch of `anyOf`.
    package func requiring(_ names: [String], unless others: [String]) -> Schema {
        func filled(_ names: [String]) -> JSONObject {
            var properties = JSONObject()
            for name in names {
                properties.set(
                    name, ["type": "string", "minLength": 1, "description": .string(Self.aboutFilled)] as JSONObject)
            }
            return ["required": .array(names.map { .string($0) }), "properties": .object(properties)]
        }
        let isNeeded: JSONObject = ["not": ["anyOf": .array(others.map { .object(filled([$0])) })]]
        return with("if", .object(isNeeded)).with("then", .object(filled(names)))
    }

    /// Describes a member within a condition.
    package static let aboutFilled = "There, and not empty."

    /// This schema or JSON `null`, for a member that every answer has. In requests, `null` and `""` count as absent,
    /// but schemas do not say so: generated clients would have a separate class for it.
    package var orNull: Schema {
        guard case .string(let type)? = object["type"] else { return self }
        return with("type", [.string(type), "null"])
    }

    /// A text that is not empty.
    package var filled: Schema { with("minLength", 1) }

    package func with(_ member: String, _ value: JSONValue) -> Schema {
        var other = self
        other.object[member] = value
        return other
    }
}

/// One member of an object, or one field of a form.
package struct Field: Sendable, Equatable {
    package let name: String
    package let schema: Schema
    package let isRequired: Bool
    package let about: String

    /// Its schema with the description, as in the document.
    package var described: Schema { about.isEmpty ? schema : schema.with("description", .string(about)) }
}

/// A member that is always present.
package func must(_ name: String, _ schema: Schema, _ about: String = "") -> Field {
    Field(name: name, schema: schema, isRequired: true, about: about)
}

/// A member that may be absent.
package func may(_ name: String, _ schema: Schema, _ about: String = "") -> Field {
    Field(name: name, schema: schema, isRequired: false, about: about)
}
