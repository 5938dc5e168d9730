package import StrictJSON

/// A parameter of path, query or header.
package struct Parameter: Sendable {
    package enum Place: String, Sendable { case path, query, header }

    package let place: Place
    package let field: Field

    package var object: JSONObject {
        [
            "name": .string(field.name), "in": .string(place.rawValue), "required": .bool(field.isRequired),
            "description": .string(field.about), "schema": .object(field.schema.object),
        ]
    }

    package static func path(_ name: String, _ schema: Schema, _ about: String) -> Parameter {
        Parameter(place: .path, field: must(name, schema, about))
    }

    package static func query(_ field: Field) -> Parameter { Parameter(place: .query, field: field) }
    package static func header(_ field: Field) -> Parameter { Parameter(place: .header, field: field) }
}
