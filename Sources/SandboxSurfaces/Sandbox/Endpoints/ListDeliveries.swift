internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /sandbox/webhooks`: past and pending deliveries of webhooks, newest first.
///
///     ->  200 {"deliveries":[{"eventId":"evt_...","endpointId":"we_...","type":"session.succeeded","state":"pending", ...}]}
struct ListDeliveries: SandboxEndpoint {
    let history: WebhookHistory

    private static let limit = 100

    static let call = Call(
        .get, "/sandbox/webhooks", id: "listDeliveries", "What webhooks were told, or are to be told",
        "Of every API client. At most \(limit), newest first. Moving the clock makes due what waits until then.")
    static let reply = Reply<[WebhookDelivery]> {
        ReplyMember.always("deliveries", .list(of: .object(delivery)), "Newest first.") { $0 }
    }

    private static let delivery = Reply<WebhookDelivery>(name: "SandboxDelivery") {
        ReplyMember.always("eventId", .text, "The webhook-id.") { $0.event.id.name }
        ReplyMember.always("endpointId", .text, "The endpoint that it goes to.") { $0.endpoint.name }
        ReplyMember.always("type", .choice(WebhookEventType.allCases), "The kind of event.") { $0.event.news.type }
        ReplyMember.whenThere("correlationId", .identifier(), "It names the session.") { $0.event.news.session }
        ReplyMember.whenThere(
            "sequence", .integer(1...Int.max), "Its place among the events of its session. Absent without a session."
        ) { $0.event.sequence }
        ReplyMember.always("at", .moment, "When the event happened, by the sandbox clock.") { $0.event.news.at }
        ReplyMember.always(
            "state", .choice(WebhookDelivery.State.allCases),
            "pending: an attempt is to come. delivered: it was taken. failed: given up. dropped: too many waited."
        ) { $0.state }
        ReplyMember.always("attempts", .integer(0...Int.max), "The number of attempts so far.") { $0.attempts }
        ReplyMember.whenThere("nextAt", .moment, "A time by the sandbox clock.") { $0.plannedAt }
        ReplyMember.whenThere("lastStatus", .integer(100...999), "The status of the last answer. Absent without one.") {
            $0.lastStatus
        }
        ReplyMember.whenThere(
            "lastError", .choice(WebhookAttempt.Failure.allCases),
            "The reason why the last attempt did not count. Absent if it did."
        ) { $0.lastFailure }
    }

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> [WebhookDelivery] {
        do { return try await history.newest(Self.limit) } catch { throw SandboxError(error) }
    }
}
