internal import Engine
internal import Possession
internal import SurfaceKit

/// Lists deliveries of webhooks, the newest first.
struct ListDeliveries: ReadingOrder, Equatable {
    static let limits = 1...WebhookManager.mostListed

    var client: ClientID?
    var endpoint: WebhookEndpointID?
    var state: WebhookDelivery.State?
    var limit = 50

    static let call = OrderCall(
        .post, "/control/webhooks/deliveries", Self.init, .optional("client", .client, \.client),
        .optional("endpoint", .endpoint, \.endpoint), .optional("state", .choice, \.state),
        .optional("limit", .integer(limits), \.limit, or: 50))
    static let reply = Reply.list("deliveries", of: listed)
    private static let listed = Reply<WebhookDelivery> {
        ReplyMember.always("event", .text) { $0.event.id.name }
        ReplyMember.always("type", .text) { $0.event.news.type.rawValue }
        ReplyMember.always("endpoint", .text) { $0.endpoint.name }
        ReplyMember.always("client", .text) { $0.event.clientID.text }
        ReplyMember.whenThere("session", .text) { $0.event.news.session?.text }
        ReplyMember.whenThere("sequence", .count) { $0.event.sequence }
        ReplyMember.always("at", .moment) { $0.event.news.at }
        ReplyMember.always("state", .text) { $0.state.rawValue }
        ReplyMember.always("attempts", .count) { $0.attempts }
        ReplyMember.whenThere("nextAt", .moment) { $0.plannedAt }
        ReplyMember.whenThere("lastStatus", .count) { $0.lastStatus }
        ReplyMember.whenThere("lastError", .text) { $0.lastFailure?.rawValue }
        ReplyMember.whenThere("lastAt", .moment) { $0.lastAt }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> [WebhookDelivery] {
        try await administrator.onWebhooks { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.deliveries(at: endpoint, of: client, in: state, limit: limit)
        }
    }
}
