internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/status`: the status of a request.
///
///     {"requestId":"019b..."}  ->  200 {"status":"SUCCESS","token":"AZt5...","completedAt":"2026-...","identities":[...]}
struct ReadRequestStatus: OtplessEndpoint {
    struct Standing: Sendable {
        let state: RequestState
        /// `nil`: the request has not succeeded.
        let person: ProvenPerson?

        var message: String? {
            switch state {
            case .success: nil
            case .pending: "the request is not verified yet"
            case .declined: "the request was not verified, and is over"
            }
        }
    }

    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.current + "/status", id: "ReadRequestStatus", "What a request has come to",
        "token is there for an hour after a success. It is the caller's own: another API client can do nothing with it.",
        body: .json(#"{"requestId":"019b7907-8d58-7500-8000-000000000001"}"#), demand: .reads,
        answer: "How the request stands.")
    static let body = Shape(RequestName?.none) {
        Member.required("requestId", .requestName, "Of the request.") { $0 = $1 }
    }
    static let reply = Reply<Standing>(
        example: """
            {"status":"SUCCESS","token":"AZt5B41YdQCAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAA","completedAt":"2026-01-01T08:00:00Z",\
            "identities":[{"identityType":"MOBILE","identityValue":"12001004014","channel":"OTP","methods":["SMS"],\
            "verified":true,"verifiedAt":"2026-01-01T08:00:00Z"}]}
            """
    ) {
        ReplyMember.always(
            "status", .choice([RequestState.success, .pending, .declined]),
            "PENDING: not verified yet. DECLINE: the request is over without success."
        ) { $0.state }
        ReplyMember.whenThere("token", .text, "Of a success: for validate/token and userInfo.") { $0.person?.token }
        ReplyMember.whenThere("completedAt", .moment, "Of a success.") { $0.person?.provenAt }
        ReplyMember.whenThere("identities", IdentityReply.identities, "Of a success: one.") {
            $0.person.map { [$0] }
        }
        ReplyMember.whenThere("message", .text, "Of any other status.") { $0.message }
    }
    static let refusals: [OtplessError] = [.unknownRequest]

    func respond(
        to name: RequestName?, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> Standing {
        guard let name else { throw .field(.missing("requestId")) }
        let session = try await verifications.find(name, for: tenant)
        request.note(session.correlationID)
        let messages = try await verifications.messages(movingOnIn: session, for: tenant)
        if let person = verifications.person(of: session, messages) { return Standing(state: .success, person: person) }
        return Standing(state: session.isDone ? .declined : .pending, person: nil)
    }
}
