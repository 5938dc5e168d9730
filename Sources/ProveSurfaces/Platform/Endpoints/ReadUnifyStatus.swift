internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/unify-status`: the result of the session. May be repeated.
///
///     {"correlationId":"0193..."}  ->  200 {"success":"true","phoneNumber":"2001004014","proveId":"...","deviceId":"..."}
struct ReadUnifyStatus: PlatformEndpoint {
    private let service: PlatformService
    private let engine: Engine
    /// `nil` if status calls are not limited (sandbox, contract section 8).
    private let polls: SessionPolls?

    init(service: PlatformService, engine: Engine) {
        self.service = service
        self.engine = engine
        polls = engine.limits.overSessions == nil ? nil : SessionPolls()
    }

    static let call = Call(
        .post, "/v3/unify-status", aliases: [.short("/unify-status")], id: "readUnifyStatus", "Read the outcome",
        "May be repeated. pending until the client is done; readable for 15 minutes after the end.",
        body: .json(#"{"correlationId":"019b7907-8d58-7500-8000-000000000001"}"#), demand: .reads,
        answer: "The outcome.")
    static let refusals: [PlatformError] = [.unknownCorrelationID]
    struct Order: Sendable {
        var reference = SessionReference()
        /// The third party that will get a signed statement; `nil`: none was requested.
        var statementAudience: String?
    }

    static let body = Shape(Order()) {
        Member.part(\.reference, [SessionReference.correlationID, SessionReference.clientRequestID])
        Member<Order>.optional(
            "statementAudience", .reference,
            "Asks for a signed statement for a third party, and names it: the aud of the JWT. One of the API client's list, if "
                + "it has one; never this server or an operator."
        ) { $0.statementAudience = $1 }
    }
    static let reply = UnifyResult.reply

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> UnifyResult {
        let audience: PlatformService.StatementAudience?
        if let text = order.statementAudience {
            audience = try service.statementAudience(text, for: tenant)
        } else {
            audience = nil
        }
        let id = try order.reference.id(of: request)
        let session = try await service.session(.correlation(id), of: .unify, for: tenant.id)
        // Counted only once the session is known to be the tenant's: calls for other sessions are not counted.
        if let hit = polls?.take(id, at: engine.now()) {
            engine.reports.recordLimit(hit.limit, nil)
            throw .rateLimited(hit)
        }
        var result = UnifyResult(session: session, clientRequestID: order.reference.clientRequestID)
        if let audience {
            result.statement = try service.statement(of: session, for: audience)
        }
        return result
    }
}
