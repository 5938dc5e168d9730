internal import Engine
internal import Possession
internal import SurfaceKit

/// Sends events to a disabled webhook endpoint again.
struct EnableWebhook: Order, Equatable {
    let endpoint: WebhookEndpointID
    /// The API client that must have the endpoint; `nil`: any API client.
    var client: ClientID?

    static let call = OrderCall(
        .post, "/control/webhooks/enable", Self.init, .required("endpoint", .endpoint, \.endpoint),
        .optional("client", .client, \.client))
    static let reply = Reply<WebhookManager.Shown>.webhook
    var act: OperatorAct? { .webhook("enable", of: client, at: endpoint) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> WebhookManager.Shown {
        try await administrator.onWebhooks { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.enable(endpoint, of: client)
        }
    }
}
