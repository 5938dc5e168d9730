internal import HTTPServer
internal import StrictJSON

/// The answer to an order as it travels: a status and an object. If the order was refused, the object has `message`.
struct OrderAnswer: Sendable {
    let status: Int
    let object: JSONObject

    var isDone: Bool { status < 300 }

    var response: Response {
        Response(status: status, headers: [("Content-Type", "application/json")], body: object.serialized())
    }
}

extension OrderAnswer {
    init(_ refusal: Administrator.Refusal) {
        let status =
            switch refusal {
            case .invalid: 400
            case .unknownClient, .unknownPerson, .unknownKey, .unknownDevice, .missing: 404
            case .taken, .burnt, .revoked, .conflict: 409
            case .failed: 500
            case .overloaded: 503
            }
        self.init(status: status, object: ["message": .string(refusal.description)])
    }
}
