internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /prelude/v2/verification/check`: checks a code that the person typed or the phone got.
///
///     {"target":{"type":"phone_number","value":"+12001004014"},"code":"123456"}
///     ->  200 {"status":"success","id":"vrf_01k...","request_id":"4f1c"}
struct CheckVerification: PreludeEndpoint {
    struct Order: Sendable {
        var target = Target()
        var code = ""
        var psd2 = PSD2()
    }

    let verifications: PreludeVerifications

    static let call = Call(
        .post, "/prelude/v2/verification/check", id: "preludeCheckVerification", "Check a code",
        """
        A wrong code is failure. A code of no open window is expired_or_not_found. A success closes the window. After \
        five checks too_many_checks is answered until the window would have ended. The code of a payment (prelude:psd2) passes \
        only with that payment in psd2. A call that is repeated with the same \
        Idempotency-Key, or by an SDK, costs no check and gets the same answer.
        """,
        body: .json(#"{"target":{"type":"phone_number","value":"+12001004014"},"code":"123456"}"#),
        answer: "Whether the code is right.")
    static let body = Shape(Order()) {
        Member.required("target", .object(Target.shape), "Whom the code was sent to.") { $0.target = $1 }
        Member.required("code", .filledText(.any), "As it was typed, or as the SDK on the phone gave it.") {
            $0.code = $1
        }
        Member.optional("psd2", .object(PSD2.shape), "The payment that the person approves by the code.") {
            $0.psd2 = $1
        }
    }
    static let parameters = Parameters<Order, PreludeError> { RepeatedCalls.parameter() }
    static let reply = Reply<AnswerWithRequestID<Checked>> {
        ReplyMember.always("status", .choice(Checked.Status.allCases), Checked.Status.about) { $0.value.status }
        ReplyMember.whenThere("id", .text, "The window.") { $0.value.session.map { PreludeID.text($0.correlationID) } }
        ReplyMember.whenThere(
            "metadata", .object(EchoedMetadata.metadata),
            """
            The reference that the window's first create gave. Absent if it gave none, or without a \
            window.
            """
        ) {
            $0.value.session?.request.references.clientRequestID
        }
        ReplyMember.always("request_id", .text, "The id of this request, as in the header X-Request-Id.") {
            $0.requestID
        }
    }
    static let refusals: [PreludeError] = [
        .emailNotAllowed, .addressInvalid(reason: "is not valid"), .impossibleCode,
        .tooManyChecks(retryAfterSeconds: 1), .idempotencyKeyReused,
        .field(FieldDefect("target.value", "is not valid")),
    ]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> AnswerWithRequestID<Checked> {
        let retry = try RepeatedCalls.retry(of: request, path: Self.call.path, verifications.engine.crypto.keyed)
        guard let target = try order.target.verified(by: verifications.engine) else { throw Target.noPossibleNumber }
        let checked = try await verifications.check(
            order.code, of: target, paying: order.psd2, for: tenant.id, retry)
        if let session = checked.session { request.note(session.correlationID) }
        return AnswerWithRequestID(checked, request.id)
    }
}
