internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /prelude/app/verify`: an app starts a verification for the person in front of it.
///
///     {"phone_number":"+12001004016","signals_dispatch_id":"..."}
///     ->  200 {"method":"silent","status":"success","request_url":"https://...","expires_at":"..."}
///
/// The answer has no window id: only backends get it.
struct StartInApp: PreludeAppEndpoint {
    struct Order: Sendable {
        var number = ""
        var dispatch: NoticeID?
    }

    let verifications: PreludeVerifications
    let addresses: ClientAddress

    static let call = Call(
        .post, "/prelude/app/verify", id: "preludeStartInApp", "Verify a number, by the app",
        "As POST /prelude/v2/verification, for the API client of app.clientId. Runs count under the caller's address.",
        body: .json(#"{"phone_number":"+12001004014"}"#), demand: .begins, answer: "What was done.")
    static let body = Shape(Order()) {
        Member.required("phone_number", .filledText(.phoneNumber), "With + and country code.") { $0.number = $1 }
        Member.optional("signals_dispatch_id", .identifier(NoticeID.self), "As the SDK on the phone has made it.") {
            $0.dispatch = $1
        }
    }
    static let reply = Reply<Created> {
        ReplyMember.always("method", .choice(Created.Method.allCases), Created.Method.about) { $0.method }
        ReplyMember.always("status", .choice(Created.Status.allCases), Created.Status.about) { $0.status }
        ReplyMember.whenThere("request_url", .text(.text(format: "uri")), "For the SDK, of the method silent.") {
            $0.requestURL
        }
        ReplyMember.whenThere("expires_at", .moment, "When the window ends.") { $0.expiresAt }
    }
    static let refusals: [PreludeError] = [
        .countryNotOpen, .numberNotServed, .tooManyAttempts(retryAfterSeconds: 1), .spendingLimit, .messageFailed,
    ]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> Created {
        let number = try Target.number(order.number, "phone_number")
        var wanted = CreateVerification.Order()
        wanted.dispatch = order.dispatch
        var keys: [LimitKey] = []
        if verifications.engine.limits.overSessions != nil {
            let address = addresses.of(request)
            wanted.signals.address = address
            keys = LimitKey.starts(from: address, of: tenant.id)
        }
        let created = try await verifications.create(wanted, to: .number(number), by: .app, counting: keys, for: tenant)
        request.note(created.id)
        return created
    }
}
