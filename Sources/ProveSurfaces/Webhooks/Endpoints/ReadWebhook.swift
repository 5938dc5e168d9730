internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v1/webhooks/{webhookId}`: one endpoint of the caller, without its secret.
struct ReadWebhook: PlatformEndpoint {
    let webhooks: WebhookManager

    static let call = Call(
        .get, "/v1/webhooks/{webhookId}", id: "readWebhook", "Read a webhook endpoint",
        "Without its secret.")
    static let body = OneWebhook.body
    static let parameters = OneWebhook.parameters
    static let reply = WebhookReplies.endpoint

    func respond(
        to id: WebhookEndpointID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> WebhookManager.Shown {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.endpoint(id, of: tenant.id)
        }
    }
}
