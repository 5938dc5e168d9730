internal import Engine
internal import Possession
internal import SurfaceKit

// Parts that orders about webhooks share.

extension Reply<WebhookManager.Shown> {
    /// An endpoint as an operator sees it. Its secret is there only when it is new.
    static var webhook: Reply {
        Reply {
            ReplyMember.always("id", .text) { $0.endpoint.id.name }
            ReplyMember.always("client", .text) { $0.endpoint.clientID.text }
            ReplyMember.always("url", .text) { $0.endpoint.url }
            ReplyMember.always("types", .list(of: .text)) { $0.endpoint.filter.words }
            ReplyMember.whenThere("include", .list(of: .text)) { $0.endpoint.includes.words }
            ReplyMember.always("format", .text) { $0.endpoint.format.rawValue }
            ReplyMember.always("ordering", .text) { $0.endpoint.ordering.rawValue }
            ReplyMember.whenThere("handshake", .flag) { $0.endpoint.hasHandshake ? true : nil }
            ReplyMember.always("status", .text) { $0.endpoint.isActive ? "active" : "disabled" }
            ReplyMember.whenThere("reason", .text) { $0.endpoint.stop?.rawValue }
            ReplyMember.whenThere("disabledAt", .moment) { $0.endpoint.stoppedAt }
            ReplyMember.whenThere("failingSince", .moment) { $0.endpoint.failingSince }
            ReplyMember.always("failures", .count) { $0.endpoint.failures }
            ReplyMember.always("createdAt", .moment) { $0.endpoint.createdAt }
            ReplyMember.whenThere("publicKey", .text) { $0.publicKey }
            ReplyMember.whenThere("secret", .text) { $0.secret }
            ReplyMember.whenThere("oldSecretUntil", .moment) { $0.oldSecretUntil }
        }
    }
}

extension OrderValue<WebhookEndpointID> {
    static var endpoint: OrderValue { .text({ WebhookEndpointID(name: $0) }, { $0.name }) }
}

extension OperatorAct {
    /// - Parameter order: its word in the path.
    static func webhook(_ order: String, of client: ClientID?, at endpoint: WebhookEndpointID?) -> OperatorAct {
        var context = ["order": order]
        context["endpoint"] = endpoint?.name
        return OperatorAct("webhook endpoint administered", .webhookAdministered, client: client, context)
    }
}
