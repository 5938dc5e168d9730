internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v1/webhooks/{webhookId}/replay`: sends events to an endpoint again, with the same IDs.
///
///     {"eventId":"evt_0193..."}  or  {"since":1767261600}  ->  200 {"deliveries":1}
struct ReplayWebhook: PlatformEndpoint {
    struct Order: Sendable {
        var id = WebhookEndpointID(high: 0, low: 0)
        var event: WebhookEventID?
        var since: Timestamp?
    }

    let webhooks: WebhookManager

    static let call = Call(
        .post, "/v1/webhooks/{webhookId}/replay", id: "replayWebhook", "Send events again",
        """
        One event by eventId, whatever came of it, or else all of those since a time that failed or were dropped. The webhook-id stays, the \
        webhook-timestamp is that of the new attempt. An endpoint that is disabled gets 403, 8003.
        """,
        body: .json(#"{"since":1767261600}"#))
    static let refusals: [PlatformError] = [.stepNotAllowed, .notFound(what: "event")]
    static let body = Shape(
        Order(),
        check: { (order) throws(FieldDefect) in
            if order.event == nil, order.since == nil { throw .missing("eventId") }
        }
    ) {
        Member.optional("eventId", eventID, "The webhook-id of the event.") { $0.event = $1 }
        Member.optional("since", .integer(0...Int.max), "Seconds since 1970.") { order, seconds in
            order.since = Timestamp(seconds: seconds)
        }
    }
    static let parameters = Parameters<Order, PlatformError> { OneWebhook.id { $0.id = $1 } }
    static let isAudited = true
    static let reply = Reply<Int> {
        ReplyMember.always("deliveries", .integer(0...Int.max), "The number of deliveries that go out again.") { $0 }
    }

    private static let eventID: Input<WebhookEventID> = Input<String>.text(.freeText(40)).map(
        orFail: "must be evt_ and a UUID"
    ) { WebhookEventID(name: $0) }

    func respond(to order: Order, of request: Request, from tenant: Tenant) async throws(PlatformRefusal) -> Int {
        let what = order.event.map { WebhookReplay.event($0) } ?? .missed(since: order.since ?? tenant.createdAt)
        return try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.replay(what, to: order.id, of: tenant.id)
        }
    }
}
