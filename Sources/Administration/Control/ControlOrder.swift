internal import StrictJSON

/// One order of an operator's command.
enum ControlOrder: Sendable {
    case webhook(WebhookOrder)

    var method: String { "POST" }

    var path: String {
        switch self {
        case .webhook(let order): "/control/webhooks/" + order.verb.rawValue
        }
    }

    var body: [UInt8] {
        switch self {
        case .webhook(let order): order.object.serialized()
        }
    }
}
