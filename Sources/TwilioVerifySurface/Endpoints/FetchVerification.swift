internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// `GET /twilio-verify/v2/Services/{ServiceSid}/Verifications/{Sid}`: a pending verification.
///
/// The path may have a number instead of the SID: `%2B12001004014`.
struct FetchVerification: TwilioEndpoint {
    let verifications: TwilioVerifications

    static let call = Call(
        .get, TwilioPath.verification, id: "FetchVerification", "Read a verification",
        "One that is over answers 404. 60 times a minute and 180 times an hour.", answer: "The verification.")
    static let body = Shape(TwilioVerifications.Target.number(""))
    static let parameters = Parameters<TwilioVerifications.Target, TwilioError> {
        ParameterMember.service
        ParameterMember.target { $0 = $1 }
    }
    static let reply = VerificationDocument.reply

    func respond(
        to target: TwilioVerifications.Target, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> VerificationDocument {
        let session = try await verifications.open(target, for: caller)
        request.note(session.correlationID)
        try verifications.takeLook(at: session)
        return try await verifications.document(session, .pending, of: caller)
    }
}

extension ParameterMember where Refusal == TwilioError {
    /// The path's verification, by SID or number.
    static func target(_ set: @escaping @Sendable (inout Body, TwilioVerifications.Target) -> Void) -> ParameterMember {
        .path(
            "Sid", .target, "Of the verification. Or its number, with %2B for the plus.", orRefuse: .notFound, set)
    }
}

extension ParameterInput where Value == TwilioVerifications.Target {
    fileprivate static var target: ParameterInput {
        ParameterInput(.text(most: 34)) { (text, name) throws(FieldDefect) in
            if let sid = SID(text, of: .verification) { return .sid(sid) }
            guard NumberText.digits(of: text)?.utf8.first == UInt8(ascii: "+") else {
                throw FieldDefect(name, "is no SID and no number")
            }
            return .number(text)
        }
    }
}
