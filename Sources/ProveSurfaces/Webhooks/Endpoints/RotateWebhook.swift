internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /v1/webhooks/{webhookId}/rotate`: new keys; those before sign as well for a day.
struct RotateWebhook: PlatformEndpoint {
    let webhooks: WebhookManager

    static let call = Call(
        .post, "/v1/webhooks/{webhookId}/rotate", id: "rotateWebhook", "Give a webhook endpoint new keys",
        "The answer has the secret, this once. The keys before sign beside the new ones for 24 hours.",
        body: .optionalJSON())
    static let body = OneWebhook.body
    static let parameters = OneWebhook.parameters
    static let reply = WebhookReplies.endpoint

    func respond(
        to id: WebhookEndpointID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> WebhookManager.Shown {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.rotate(id, of: tenant.id)
        }
    }
}
