internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v1/webhooks`: the caller's endpoints, oldest first.
///
///     ->  200 {"webhooks":[{"id":"we_0193...","url":"https://shop.example/hooks", ...}]}
struct ListWebhooks: PlatformEndpoint {
    let webhooks: WebhookManager

    static let call = Call(.get, "/v1/webhooks", id: "listWebhooks", "List webhook endpoints", "Oldest first.")
    static let reply = Reply<WebhookManager.List> {
        ReplyMember.always("webhooks", .list(of: .object(WebhookReplies.endpoint)), "Oldest first.") { $0.endpoints }
        ReplyMember.whenThere(
            "damaged", .list(of: .text), "Ids of endpoints that cannot be read. They are told nothing; remove them."
        ) { $0.damaged.isEmpty ? nil : $0.damaged.map(\.name) }
    }

    func respond(
        to body: Nothing, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> WebhookManager.List {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.endpoints(of: tenant.id)
        }
    }
}
