internal import Engine
internal import Possession
internal import SurfaceKit

/// The form of endpoints and deliveries in answers.
enum WebhookReplies {
    static let endpoint = Reply<WebhookManager.Shown>(name: "Webhook") {
        ReplyMember.always("id", .text, "we_ and a UUID.") { $0.endpoint.id.name }
        ReplyMember.always("url", .text(.text(format: "uri")), "The address that events are sent to.") {
            $0.endpoint.url
        }
        ReplyMember.always("types", .list(of: .text), "The words that were given.") { $0.endpoint.filter.words }
        ReplyMember.whenThere("include", .list(of: .text), "The words that were given. Absent if there are none.") {
            $0.endpoint.includes.words
        }
        ReplyMember.always(
            "format", .choice(WebhookEndpoint.Format.allCases), "The form of bodies, headers and signatures."
        ) { $0.endpoint.format }
        ReplyMember.always(
            "ordering", .choice(WebhookEndpoint.Ordering.allCases),
            "none: no order. session: events of one session go one after the other."
        ) { $0.endpoint.ordering }
        ReplyMember.whenThere("handshake", .flag, "true: its receiver had to agree.") {
            $0.endpoint.hasHandshake ? true : nil
        }
        ReplyMember.always("active", .flag, "Whether it is told of events.") { $0.endpoint.isActive }
        ReplyMember.whenThere("reason", .choice(WebhookEndpoint.Stop.allCases), "The reason why it is not told.") {
            $0.endpoint.stop
        }
        ReplyMember.whenThere("disabledAt", .moment, "When it was disabled, UTC. Absent while it is active.") {
            $0.endpoint.stoppedAt
        }
        ReplyMember.whenThere("failingSince", .moment, "The time from which nothing was taken.") {
            $0.endpoint.failingSince
        }
        ReplyMember.always("failures", .integer(0...Int.max), "Failed attempts since the last success.") {
            $0.endpoint.failures
        }
        ReplyMember.always("createdAt", .moment, "When it was added, UTC.") { $0.endpoint.createdAt }
        ReplyMember.whenThere("publicKey", .text, "Verifies v1a signatures (Ed25519).") { $0.publicKey }
        ReplyMember.whenThere("secret", .text, "Verifies v1 signatures. Shown when it is new, this once.") { $0.secret }
        ReplyMember.whenThere("oldSecretUntil", .moment, "Until this time the old keys sign as well.") {
            $0.oldSecretUntil
        }
    }

    private static let aboutState =
        "pending: an attempt is to come. delivered: it was taken. failed: given up. dropped: too many waited."
    static let delivery = Reply<WebhookDelivery>(name: "WebhookDelivery") {
        ReplyMember.always("eventId", .text, "The webhook-id of its requests.") { $0.event.id.name }
        ReplyMember.always("type", .choice(WebhookEventType.allCases), "The kind of event.") { $0.event.news.type }
        ReplyMember.whenThere("correlationId", .identifier(), "It names the session.") { $0.event.news.session }
        ReplyMember.whenThere(
            "sequence", .integer(1...Int.max), "Its place among the events of its session. Absent without a session."
        ) { $0.event.sequence }
        ReplyMember.always("at", .moment, "The time of the event.") { $0.event.news.at }
        ReplyMember.always("state", .choice(WebhookDelivery.State.allCases), aboutState) { $0.state }
        ReplyMember.always("attempts", .integer(0...Int.max), "The number of attempts so far.") { $0.attempts }
        ReplyMember.whenThere("nextAt", .moment, "The time of the next attempt.") { $0.plannedAt }
        ReplyMember.whenThere("lastStatus", .integer(100...999), "The status of the last answer.") { $0.lastStatus }
        ReplyMember.whenThere(
            "lastError", .choice(WebhookAttempt.Failure.allCases), "The reason why the attempt did not count."
        ) {
            $0.lastFailure
        }
        ReplyMember.whenThere("lastAt", .moment, "When the last attempt ended, UTC. Absent before the first.") {
            $0.lastAt
        }
    }
}
