internal import Engine
internal import Possession
internal import SurfaceKit

/// Removes a webhook endpoint with its pending deliveries.
struct RemoveWebhook: Order, Equatable {
    let endpoint: WebhookEndpointID
    /// The API client that must have the endpoint; `nil`: any API client.
    var client: ClientID?

    static let call = OrderCall(
        .post, "/control/webhooks/remove", Self.init, .required("endpoint", .endpoint, \.endpoint),
        .optional("client", .client, \.client))
    static let reply = Reply<WebhookEndpointID> { ReplyMember.always("id", .text) { $0.name } }
    var act: OperatorAct? { .webhook("remove", of: client, at: endpoint) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> WebhookEndpointID {
        try await administrator.onWebhooks { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.remove(endpoint, of: client)
            return endpoint
        }
    }
}
