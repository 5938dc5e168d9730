internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v1/webhooks/{webhookId}/enable`: sends events to a disabled endpoint again, beginning with a ping.
struct EnableWebhook: PlatformEndpoint {
    let webhooks: WebhookManager

    static let call = Call(
        .post, "/v1/webhooks/{webhookId}/enable", id: "enableWebhook", "Enable a webhook endpoint",
        """
        It is told again, beginning with a ping. What waited when it was disabled goes out as well. Where the receiver had to \
        agree, it is asked again; without its consent the answer is 400, and the endpoint stays disabled.
        """,
        body: .optionalJSON())
    static let body = OneWebhook.body
    static let parameters = OneWebhook.parameters
    static let isAudited = true
    static let reply = WebhookReplies.endpoint

    func respond(
        to id: WebhookEndpointID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> WebhookManager.Shown {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.enable(id, of: tenant.id)
        }
    }
}
