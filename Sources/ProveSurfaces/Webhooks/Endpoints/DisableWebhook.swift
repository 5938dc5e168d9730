internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v1/webhooks/{webhookId}/disable`: sends no events to an endpoint until it is enabled.
struct DisableWebhook: PlatformEndpoint {
    let webhooks: WebhookManager

    static let call = Call(
        .post, "/v1/webhooks/{webhookId}/disable", id: "disableWebhook", "Disable a webhook endpoint",
        "What waits is kept until it is enabled. Of what happens meanwhile it is not told.", body: .optionalJSON())
    static let body = OneWebhook.body
    static let parameters = OneWebhook.parameters
    static let isAudited = true
    static let reply = WebhookReplies.endpoint

    func respond(
        to id: WebhookEndpointID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> WebhookManager.Shown {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.disable(id, of: tenant.id)
        }
    }
}
