internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v1/sessions/{correlationId}/explanation`: why a number could not be proven, for the support staff of an app.
/// An extension of ours: Prove has no such call.
///
///     ->  200 {"correlationId":"0193...","product":"unify","startedAt":"...","outcome":"failed",
///              "limits":[{"limit":"wrong_codes","until":"..."}],"events":[...],"messages":[...]}
struct ExplainSession: PlatformEndpoint {
    typealias Explained = (run: Explanation.Run, held: [HeldLimit])

    private let engine: Engine
    private let service: PlatformService
    /// `nil`: status calls are not counted.
    private let polls: SessionPolls?

    init(engine: Engine, service: PlatformService) {
        self.engine = engine
        self.service = service
        polls = engine.limits.overSessions == nil ? nil : SessionPolls()
    }

    static let call = Call(
        .get, "/v1/sessions/{correlationId}/explanation", id: "explainSession", "Explain a session",
        """
        Which limits hold for its number now and until when, what has happened in it, and what became of its messages. \
        Of any session of the caller, for 24 hours. No code, link or number is told.
        """)
    static let body = Shape(CorrelationID(bits: 0))
    static let parameters = Parameters<CorrelationID, PlatformError> {
        .path(
            "correlationId", .identifier(CorrelationID.self), "It names a session of the caller; else 404, 8010.",
            orRefuse: .notFound(what: "session")
        ) { $0 = $1 }
    }
    static let reply = Reply<Explained>(name: "Explanation") {
        ReplyMember.always("correlationId", .identifier(), "The session that the path names.") {
            $0.run.session.correlationID
        }
        ReplyMember.always("product", .text, "The product that the session was started for, such as unify.") {
            $0.run.session.request.policy.product.text
        }
        ReplyMember.always("startedAt", .moment, "When the backend started the session, UTC.") {
            $0.run.session.createdAt
        }
        ReplyMember.whenThere("outcome", .text, "There once the session is over.") { $0.run.session.outcome?.rawValue }
        ReplyMember.always("limits", .list(of: .object(limit)), "The limits that refuse the number now.") { $0.held }
        ReplyMember.always("events", .list(of: .object(event)), "Oldest first.") { $0.run.events }
        ReplyMember.always("messages", .list(of: .object(message)), "Oldest first.") { $0.run.messages }
    }

    private static let limit = Reply<HeldLimit>(name: "HeldLimit") {
        ReplyMember.always("limit", .text, "The name that the 429 and the log have.") { $0.limit.rawValue }
        ReplyMember.whenThere("why", .text, "`pause_after_message`: nothing is used up.") {
            $0.isPause ? "pause_after_message" : nil
        }
        ReplyMember.whenThere("until", .moment, "Absent: until another check passes, or the operator unlocks it.") {
            $0.until
        }
    }
    private static let event = Reply<SessionEvent>(name: "ExplainedEvent") {
        ReplyMember.always("at", .moment, "When it happened, UTC.") { $0.at }
        ReplyMember.always("event", .text, "The kind of event, such as redeemed, otp_sent or failed.") {
            $0.kind.rawValue
        }
        ReplyMember.whenThere("detail", .text, "A short addition, such as a platform, a gateway or a reason.") {
            $0.refusal == nil ? $0.detail : nil
        }
        ReplyMember.whenThere("limit", .text, "The limit that allowed no message, by the name in the 429.") {
            $0.refusal?.limit.publicName
        }
        ReplyMember.whenThere(
            "until", .moment,
            "Absent: until another check passes. The limit allowed a message then, by what was counted."
        ) {
            $0.refusal?.until
        }
    }
    private static let message = Reply<MessageStanding>(name: "ExplainedMessage") {
        ReplyMember.always(
            "state", .text,
            "queued, sent, failed (no carrier took it), or expired (it was too late to send it)."
        ) { $0.state.rawValue }
        ReplyMember.whenThere("gateway", .text, "The gateway that took the message.") { $0.gateway }
        ReplyMember.whenThere(
            "channel", .choice(OutgoingMessage.Channel.allCases), "The channel that the message took."
        ) { $0.channel }
        ReplyMember.whenThere("carrier", .text, "How its carrier says that it ended.") { $0.end?.rawValue }
        ReplyMember.whenThere("refusedBy", .list(of: .object(refusal)), "The gateways that did not take it, in order.")
        {
            $0.refusals.isEmpty ? nil : $0.refusals
        }
    }
    private static let refusal = Reply<GatewayRefusal>(name: "GatewayRefusal") {
        ReplyMember.whenThere("gateway", .text, "Absent: no gateway was asked.") { $0.gateway }
        ReplyMember.whenThere(
            "channel", .choice(OutgoingMessage.Channel.allCases), "The channel that the gateway was to send it by."
        ) { $0.channel }
        ReplyMember.always("why", .text, "The word that the figures of gateways have: `number`, `busy`, `route`, ...") {
            $0.outcome
        }
        ReplyMember.whenThere("code", .text, "The carrier's own code.") { $0.code }
    }

    func respond(
        to id: CorrelationID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> Explained {
        request.note(id)
        let explained = try await service.explanation(of: id, for: tenant.id)
        // Counted only once the session is known to be the tenant's: a call for another tenant's session is not
        // counted.
        if let hit = polls?.take(id, at: engine.now()) {
            engine.reports.recordLimit(hit.limit, nil)
            throw .rateLimited(hit)
        }
        return explained
    }
}
