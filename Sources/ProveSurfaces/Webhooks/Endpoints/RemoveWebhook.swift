internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `DELETE /v1/webhooks/{webhookId}`: removes an endpoint with its pending deliveries.
struct RemoveWebhook: PlatformEndpoint {
    let webhooks: WebhookManager

    static let call = Call(
        .delete, "/v1/webhooks/{webhookId}", id: "removeWebhook", "Remove a webhook endpoint",
        "With all that waits for it.")
    static let body = OneWebhook.body
    static let parameters = OneWebhook.parameters
    static let isAudited = true
    static let reply = Reply.done

    func respond(
        to id: WebhookEndpointID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> Nothing {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.remove(id, of: tenant.id)
            return Nothing()
        }
    }
}
