internal import Engine
internal import Possession
internal import SurfaceKit

/// Stops sending events to a webhook endpoint.
struct DisableWebhook: Order, Equatable {
    let endpoint: WebhookEndpointID
    /// The API client that must have the endpoint; `nil`: any API client.
    var client: ClientID?

    static let call = OrderCall(
        .post, "/control/webhooks/disable", Self.init, .required("endpoint", .endpoint, \.endpoint),
        .optional("client", .client, \.client))
    static let reply = Reply<WebhookManager.Shown>.webhook
    var act: OperatorAct? { .webhook("disable", of: client, at: endpoint) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> WebhookManager.Shown {
        try await administrator.onWebhooks { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.disable(endpoint, of: client)
        }
    }
}
