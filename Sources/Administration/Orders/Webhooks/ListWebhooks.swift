internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Lists webhook endpoints.
struct ListWebhooks: ReadingOrder, Equatable {
    /// `nil`: those of all API clients.
    let client: ClientID?

    static let call = OrderCall(.post, "/control/webhooks/list", Self.init, .optional("client", .client, \.client))
    static let reply = Reply<WebhookManager.List> {
        ReplyMember.always("webhooks", .list(of: .object(.anything))) { list in
            list.endpoints.map { Reply.webhook.object($0) }
                + list.damaged.map { ["id": .string($0.name), "status": "damaged"] }
        }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> WebhookManager.List {
        try await administrator.onWebhooks { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.endpoints(of: client)
        }
    }
}
