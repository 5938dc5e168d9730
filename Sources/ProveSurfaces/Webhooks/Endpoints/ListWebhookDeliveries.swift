internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// `GET /v1/webhooks/{webhookId}/deliveries`: past and pending deliveries of an endpoint, newest first.
///
///     ?state=failed&limit=10  ->  200 {"deliveries":[{"eventId":"evt_0193...","type":"session.succeeded", ...}]}
struct ListWebhookDeliveries: PlatformEndpoint {
    struct Order: Sendable {
        var id = WebhookEndpointID(high: 0, low: 0)
        var state: WebhookDelivery.State?
        var limit = 50
    }

    let webhooks: WebhookManager

    static let call = Call(
        .get, "/v1/webhooks/{webhookId}/deliveries", id: "listWebhookDeliveries",
        "List deliveries of a webhook endpoint",
        "Newest first. Answers of the receiver are shown by status only: nothing else of them is kept.")
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PlatformError> {
        OneWebhook.id { $0.id = $1 }
        ParameterMember.optionalQuery("state", state, "Only these are listed.") { $0.state = $1 }
        ParameterMember.optionalQuery(
            "limit", .wholeNumber(in: 1...WebhookManager.mostListed), "50 unless it is given."
        ) { $0.limit = $1 }
    }
    static let reply = Reply<[WebhookDelivery]> {
        ReplyMember.always("deliveries", .list(of: .object(WebhookReplies.delivery)), "Newest first.") { $0 }
    }

    private static let state = ParameterInput<WebhookDelivery.State>(
        .choice(WebhookDelivery.State.self)
    ) { (text, name) throws(FieldDefect) in
        guard let state = WebhookDelivery.State.spelled(text) else {
            throw FieldDefect(name, "must be pending, delivered, failed or dropped")
        }
        return state
    }

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> [WebhookDelivery] {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.deliveries(at: order.id, of: tenant.id, in: order.state, limit: order.limit)
        }
    }
}
