internal import Engine
internal import Possession
internal import SurfaceKit

/// Sends a ping to a webhook endpoint.
struct TestWebhook: Order, Equatable {
    let endpoint: WebhookEndpointID
    /// The API client that must have the endpoint; `nil`: any API client.
    var client: ClientID?

    static let call = OrderCall(
        .post, "/control/webhooks/test", Self.init, .required("endpoint", .endpoint, \.endpoint),
        .optional("client", .client, \.client))
    static let reply = Reply<WebhookEventID> { ReplyMember.always("event", .text) { $0.name } }
    var act: OperatorAct? { .webhook("test", of: client, at: endpoint) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> WebhookEventID {
        try await administrator.onWebhooks { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.test(endpoint, of: client)
        }
    }
}
