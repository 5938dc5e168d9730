internal import Engine
internal import Possession
internal import SurfaceKit

/// Gives a webhook endpoint new keys. They are shown only once.
struct RotateWebhook: Order, Equatable {
    let endpoint: WebhookEndpointID
    /// The API client that must have the endpoint; `nil`: any API client.
    var client: ClientID?
    /// Makes new keys even while the previous keys still sign.
    var isForced = false

    static let call = OrderCall(
        .post, "/control/webhooks/rotate", Self.init, .required("endpoint", .endpoint, \.endpoint),
        .optional("client", .client, \.client),
        .optional("force", .flag, \.isForced, or: false))
    static let reply = Reply<WebhookManager.Shown>.webhook
    var act: OperatorAct? { .webhook("rotate", of: client, at: endpoint) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> WebhookManager.Shown {
        try await administrator.onWebhooks { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.rotate(endpoint, of: client, isForced: isForced)
        }
    }
}
