package import StrictJSON

/// The API description of a request that this server makes.
package struct Webhook: Sendable {
    /// The type of the event.
    package let name: String
    /// The ID of the request, like an operation's ID.
    package let id: String
    /// When it is sent.
    package let when: String
    /// Header fields that it always has.
    package let headers: [Field]
    /// The body, in each format that a receiver may choose.
    package let bodies: [Content]

    package init(_ name: String, id: String, when: String, headers: [Field], bodies: [Content]) {
        self.name = name
        self.id = id
        self.when = when
        self.headers = headers
        self.bodies = bodies
    }

    /// Its path item.
    package var object: JSONObject {
        var content = JSONObject()
        for body in bodies { content.set(body.type, body.media) }
        let parameters = headers.map { Parameter.header($0).object }
        let taken: JSONObject = ["description": "Any status of 200 to 299 takes it."]
        return [
            "post": [
                "operationId": .string(id), "summary": .string(when), "tags": ["Webhooks"], "security": [],
                "parameters": .array(parameters.map { .object($0) }),
                "requestBody": ["required": true, "content": .object(content)],
                "responses": ["2XX": .object(taken)],
            ]
        ]
    }
}
