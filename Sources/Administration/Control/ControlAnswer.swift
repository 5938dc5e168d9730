internal import HTTPServer
internal import StrictJSON

/// The answer to an order: a status and an object. If the order was refused, the object has `message`.
struct ControlAnswer: Sendable {
    let status: Int
    let object: JSONObject

    init(_ status: Int, _ object: JSONObject) {
        self.status = status
        self.object = object
    }

    static func refused(_ status: Int, _ message: String) -> ControlAnswer {
        ControlAnswer(status, ["message": .string(message)])
    }

    static let malformed = refused(400, "the body is no such order")

    var response: Response {
        Response(status: status, headers: [("Content-Type", "application/json")], body: object.serialized())
    }
}
