internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /prelude/v2/watch/feedback`: takes a backend's reports on its verifications. The server checks their form and
/// ignores them.
///
///     {"feedbacks":[{"target":{"type":"phone_number","value":"+12001004014"},"type":"verification.started"}]}
///     ->  200 {"request_id":"4f1c","status":"success"}
struct TakeFeedback: PreludeEndpoint {
    static let call = Call(
        .post, "/prelude/v2/watch/feedback", id: "preludeTakeFeedback", "Tell how verifications went",
        "It is read and checked. It has no effect and is not kept.",
        body: .json(
            #"{"feedbacks":[{"target":{"type":"phone_number","value":"+12001004014"},"type":"verification.started"}]}"#,
            upTo: .event), answer: "It was read.")
    static let body = Shape([Report]()) {
        Member.required(
            "feedbacks", .list(of: Report.feedback, most: Report.most), "At most 100 reports, each of one verification."
        ) { $0 = $1 }
    }
    static let reply = Report.reply

    func respond(
        to feedbacks: [Report], of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> AnswerWithRequestID<Nothing> { AnswerWithRequestID(Nothing(), request.id) }
}
