package import StrictJSON

/// A body of one media type.
package struct Content: Sendable {
    package let type: String
    package let schema: Schema
    package var example: JSONValue?

    package init(type: String, schema: Schema, example: JSONValue? = nil) {
        self.type = type
        self.schema = schema
        self.example = example
    }

    /// Its media type object.
    package var media: JSONObject {
        var media: JSONObject = ["schema": .object(schema.object)]
        media["example"] = example
        return media
    }

    /// The same content, whose object has a name in the document; an existing name stays.
    package func called(_ name: String) -> Content {
        guard schema.object["properties"] != nil else { return self }
        return Content(type: type, schema: schema.called(name), example: example)
    }

    package static func json(_ schema: Schema, _ example: StaticString? = nil) -> Content {
        Content(type: "application/json", schema: schema, example: example.map(value))
    }

    package static func form(_ schema: Schema, _ example: StaticString? = nil) -> Content {
        Content(type: "application/x-www-form-urlencoded", schema: schema, example: example.map(value))
    }

    /// Bytes of any type, regardless of the `Content-Type`.
    package static let bytes = Content(type: "application/octet-stream", schema: .text(format: "binary"))

    package static let page = Content(type: "text/html", schema: .text())

    /// Traps on invalid JSON: the text is a literal of the program.
    private static func value(_ text: StaticString) -> JSONValue {
        do { return try JSONValue.parse(Array(text.description.utf8)) } catch {
            preconditionFailure("an example is no JSON: \(error.reason), at byte \(error.offset)")
        }
    }
}
