internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /prelude/v2/verification`: sends a code to a number or an e-mail address. While the window is open, sends
/// another one.
///
///     {"target":{"type":"phone_number","value":"+12001004014"}}
///     ->  200 {"id":"vrf_01k...","method":"message","status":"success","channels":["sms"],"request_id":"4f1c"}
struct CreateVerification: PreludeEndpoint {
    struct Order: Sendable {
        var target = Target()
        var dispatch: NoticeID?
        var metadata = Metadata()
        var options = VerificationOptions()
        var signals = Signals()
    }

    let verifications: PreludeVerifications

    static let call = Call(
        .post, "/prelude/v2/verification", id: "preludeCreateVerification", "Verify a number",
        """
        Opens a window of 10 minutes with 5 messages and 5 checks. Another call in the window sends another code \
        (retry), with the same id; any code of the window passes. With the dispatch of a phone that has a \
        cellular connection, and Mobile Auth for the API client, the method may be silent. A call that is repeated \
        with the same Idempotency-Key, or by an SDK, sends nothing and gets the same answer.
        """,
        body: .json(#"{"target":{"type":"phone_number","value":"+12001004014"}}"#), demand: .begins,
        answer: "What was done.")
    static let body = Shape(Order()) {
        Member.required("target", .object(Target.shape), "Whom to verify.") { $0.target = $1 }
        Member.optional("dispatch_id", .identifier(NoticeID.self), "As the SDK on the phone has made it.") {
            $0.dispatch = $1
        }
        Member.optional("metadata", .object(Metadata.shape), "Your own reference for the verification.") {
            $0.metadata = $1
        }
        Member.optional("options", .object(VerificationOptions.shape), "How the code is sent.") { $0.options = $1 }
        Member.optional("signals", .object(Signals.shape), "Signals of the person's device.") { $0.signals = $1 }
    }
    static let parameters = Parameters<Order, PreludeError> { RepeatedCalls.parameter() }
    static let reply = Reply<AnswerWithRequestID<Created>> {
        ReplyMember.always("id", .text, "The window; the same for each retry.") { PreludeID.text($0.value.id) }
        ReplyMember.always("method", .choice(Created.Method.allCases), Created.Method.about) { $0.value.method }
        ReplyMember.always("status", .choice(Created.Status.allCases), Created.Status.about) { $0.value.status }
        ReplyMember.whenThere("reason", .choice(Created.Reason.allCases), "The reason why nothing was sent.") {
            $0.value.reason
        }
        ReplyMember.whenThere("channels", .list(of: .choice(Created.Channel.allCases)), "The ways, in order.") {
            $0.value.channels
        }
        ReplyMember.whenThere("silent", .object(silent), "Of the method silent.") { $0.value.requestURL }
        ReplyMember.whenThere(
            "metadata", .object(EchoedMetadata.metadata),
            "The reference that the window's first create gave. Absent if it gave none."
        ) { $0.value.correlationID }
        ReplyMember.whenThere(
            "risk_factors", .list(of: .choice(Created.RiskFactor.allCases)),
            """
            fraud_database for the reason suspicious, repeated_attempts for the reason of the same name. Absent in \
            any other answer.
            """
        ) { $0.value.riskFactors }
        ReplyMember.always("request_id", .text, "The id of this request, as in the header X-Request-Id.") {
            $0.requestID
        }
    }
    private static let silent = Reply<String>(name: "SilentStart") {
        ReplyMember.always("request_url", .text(.text(format: "uri")), "For the SDK on the phone.") { $0 }
    }
    static let refusals: [PreludeError] =
        [
            .emailNotAllowed, .addressInvalid(reason: "is not valid"), .customSizeConflict,
            .channelNotEnabled(param: "options.channels"), .countryNotOpen, .numberNotServed,
            .tooManyAttempts(retryAfterSeconds: 1), .spendingLimit, .messageFailed, .idempotencyKeyReused,
        ]
        + [
            "target.value", "options.code_size", "options.custom_code", "options.locale", "options.template_id",
            "options.variables", "options.sender_id", "options.callback_url", "options.app_realm",
            "options.app_realm.platform", "options.app_realm.value", "metadata.correlation_id",
        ].map { .field(FieldDefect($0, "is not valid")) } + Signals.refusals

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> AnswerWithRequestID<Created> {
        guard let target = try order.target.verified(by: verifications.engine) else {
            return AnswerWithRequestID(
                try verifications.blocked(.invalidPhoneNumber, correlationID: order.metadata.correlationID), request.id)
        }
        let retry = try RepeatedCalls.retry(of: request, path: Self.call.path, verifications.engine.crypto.keyed)
        let created = try await verifications.create(order, to: target, retry, for: tenant)
        request.note(created.id)
        return AnswerWithRequestID(created, request.id)
    }
}
