internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /prelude/v2/watch/predict`: says whether a number looks legitimate.
///
///     {"target":{"type":"phone_number","value":"+12001004014"}}
///     ->  200 {"id":"prd_01k...","prediction":"legitimate","request_id":"4f1c"}
struct PredictOutcome: PreludeEndpoint {
    struct Order: Sendable {
        var target = Target()
    }
    enum Prediction: String, CaseIterable, Sendable { case legitimate, suspicious }
    struct Predicted: Sendable {
        let id: CorrelationID
        let prediction: Prediction
    }

    let look: NumberRisk

    static let call = Call(
        .post, "/prelude/v2/watch/predict", id: "preludePredict", "Judge a number",
        """
        suspicious: a verification of it would be blocked, by the numbering plan or by the list of the API client. This \
        server has no other opinion of a number.
        """,
        body: .json(#"{"target":{"type":"phone_number","value":"+12001004014"}}"#), answer: "The prediction.")
    static let body = Shape(Order()) {
        Member.required("target", .object(Target.shape), "The number to judge.") { $0.target = $1 }
        Member.ignored(
            "dispatch_id", .text(.freeText(36)),
            "The id that the SDK on the phone has made. Checked, and without effect.")
        Member.ignored(
            "metadata", .object(Metadata.shape), "Your own reference for the call. Checked, and without effect.")
        Member.ignored(
            "signals", .object(Signals.shape), "Signals of the person's device. Checked, and without effect.")
    }
    static let reply = Reply<AnswerWithRequestID<Predicted>> {
        ReplyMember.always("id", .text, "prd_ and 26 characters, new for each answer. The server does not keep it.") {
            PreludeID.text($0.value.id, PreludeID.prediction)
        }
        ReplyMember.always(
            "prediction", .choice(Prediction.allCases),
            "suspicious: a verification of the number would be blocked. legitimate: it would not."
        ) { $0.value.prediction }
        ReplyMember.always("request_id", .text, "The id of this request, as in the header X-Request-Id.") {
            $0.requestID
        }
    }
    static let refusals: [PreludeError] =
        [
            .emailNotAllowed, .field(FieldDefect("target.value", "is not valid")),
            .field(FieldDefect("metadata.correlation_id", "is not valid")),
        ] + Signals.refusals

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> AnswerWithRequestID<Predicted> {
        let isSuspicious = try await look.isSuspicious(try order.target.number(), for: tenant)
        return AnswerWithRequestID(
            Predicted(id: try look.freshID(), prediction: isSuspicious ? .suspicious : .legitimate), request.id)
    }
}
