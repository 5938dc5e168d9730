internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v1/webhooks/{webhookId}/rotate`: new keys; the previous keys also sign for a day.
struct RotateWebhook: PlatformEndpoint {
    struct Order: Sendable {
        var id = WebhookEndpointID(high: 0, low: 0)
        var isForced = false
    }

    let webhooks: WebhookManager

    static let call = Call(
        .post, "/v1/webhooks/{webhookId}/rotate", id: "rotateWebhook", "Give a webhook endpoint new keys",
        """
        The answer has the secret, this once. The keys before sign beside the new ones for 24 hours. Until then another call \
        gets 409, 8003, unless it is forced.
        """,
        body: .optionalJSON())
    static let body = Shape(Order()) {
        Member.optional("force", .flag, "true: the keys before end now, if they still sign.") { $0.isForced = $1 }
    }
    static let parameters = Parameters<Order, PlatformError> { OneWebhook.id { $0.id = $1 } }
    static let refusals: [PlatformError] = [.oldKeysSign(until: Timestamp(seconds: 0))]
    static let isAudited = true
    static let reply = WebhookReplies.endpoint

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> WebhookManager.Shown {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.rotate(order.id, of: tenant.id, isForced: order.isForced)
        }
    }
}
