internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v1/webhooks/{webhookId}/test`: sends a ping, which an endpoint gets whatever types it subscribes to.
struct TestWebhook: PlatformEndpoint {
    let webhooks: WebhookManager

    static let call = Call(
        .post, "/v1/webhooks/{webhookId}/test", id: "testWebhook", "Send a ping to a webhook endpoint",
        "Whatever types it asks for. One that is disabled gets 403, 8003.", body: .optionalJSON())
    static let body = OneWebhook.body
    static let parameters = OneWebhook.parameters
    static let refusals: [PlatformError] = [.stepNotAllowed]
    static let reply = Reply<WebhookEventID> {
        ReplyMember.always("eventId", .text, "The webhook-id of the ping.") { $0.name }
    }

    func respond(
        to id: WebhookEndpointID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> WebhookEventID {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.test(id, of: tenant.id)
        }
    }
}
