internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v1/server/auth/start`: an app's backend starts a session, naming authenticators instead of a flow.
///
///     {"requestId":"r-1","subjects":{"mobile":{"authenticators":{"otp":{"messageText":"Your code is ####"}}}}}
///     ->  200 {"authId":"0193...","authToken":"eyJ..."}
struct StartAuth: AuthEndpoint {
    let service: PlatformService

    static let call = Call(
        .post, "/v1/server/auth/start", id: "startAuth", "Start a session, by authenticators",
        """
        As unify does, for callers of the older API: an authenticator takes part by being there, if only as {}. A \
        link alone is for a desktop browser; without code and link the caller checks the number itself, and \
        continues. This server has no pushes, bank cards or hosted key pages. It refuses delivery.push, delivery.scan, \
        subjects.card, mobile.authenticators.universal and present, docv and ppb of user.authenticators with 400, so \
        that no caller waits for them.
        """,
        body: .json(
            """
            {"requestId":"r-1","subjects":{"mobile":{"claim":{"mobileNumber":"2001004014"},\
            "authenticators":{"passive":{},"otp":{"messageText":"Your code is ####"}}}}}
            """),
        demand: .begins)
    static let refusals: [PlatformError] = [.numberNotServed, .otherProduct]

    /// The subjects determine the order; the member before them only sets the caller's ID of the call.
    static let body = Shape(PlatformService.SessionOrder(.unify, flow: .none)) {
        Member.optional("requestId", .reference, "The caller's own name of the call.") {
            $0.references.clientRequestID = $1
        }
        Member.ignored("delivery", delivery, "push and scan are not supported.")
        Member.required("subjects", subjects, "The subjects that are asked about.") {
            (order, subjects) throws(FieldDefect) in
            order = try subjects.order(order.references.clientRequestID)
        }
        Member.optional(
            "callbackUrl", .filledText(.freeText(WebhookRules.mostURLBytes)),
            """
            Called when the session is over, with the event of that as a webhook: below the URL of an active endpoint of \
            the caller (POST /v1/webhooks), whose keys sign it.
            """
        ) { $0.callbackURL = $1 }
    }
    static let reply = Reply<PlatformService.StartedSession> {
        ReplyMember.always("authId", .identifier(), "The session, for continue and finish.") { $0.authID }
        ReplyMember.always("authToken", .text, "For the client; good for 15 minutes and one client.") { $0.authToken }
    }

    func respond(
        to order: PlatformService.SessionOrder, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> PlatformService.StartedSession {
        let started = try await service.start(order, for: tenant)
        request.note(started.correlationID)
        return started
    }

    private static let delivery = Input<Nothing>(Schema.record([], others: true).called("AuthDelivery")) {
        (fields, name) throws(FieldDefect) in
        try fields.check(name) { (members) throws(FieldDefect) in
            try members.refuseUnsupported("push", "scan")
        }
        return nil
    }
    private static let subjects = Input<AuthSubjects>(AuthSchemas.subjects) { (fields, name) throws(FieldDefect) in
        try fields.inside(name, AuthSubjects.init)
    }
}
