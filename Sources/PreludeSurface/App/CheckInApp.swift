internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /prelude/app/check`: checks a code that the person typed or the SDK read.
///
///     {"phone_number":"+12001004014","verification_code":"123456"}
///     ->  200 {"status":"success","verified":true}
struct CheckInApp: PreludeAppEndpoint {
    struct Order: Sendable {
        var number = ""
        var code = ""
    }

    let verifications: PreludeVerifications

    static let call = Call(
        .post, "/prelude/app/check", id: "preludeCheckInApp", "Check a code, by the app",
        "As POST /prelude/v2/verification/check, for the API client of app.clientId.",
        body: .json(#"{"phone_number":"+12001004014","verification_code":"123456"}"#),
        answer: "Whether the code is right.")
    static let body = Shape(Order()) {
        Member.required("phone_number", .filledText(.phoneNumber), "As it was verified.") { $0.number = $1 }
        Member.required("verification_code", .filledText(.any), "As it was typed or brought.") { $0.code = $1 }
    }
    static let reply = Reply<Checked> {
        ReplyMember.always("status", .choice(Checked.Status.allCases), Checked.Status.about) { $0.status }
        ReplyMember.always("verified", .flag, "Whether the person holds the number.") { $0.status == .success }
        ReplyMember.whenThere("remaining_attempts", .integer(0...PreludeVerifications.checks), "Checks that are left.")
        {
            $0.status == .failure ? $0.session?.otp.attemptsLeft : nil
        }
    }
    static let refusals: [PreludeError] = [.impossibleCode, .tooManyChecks(retryAfterSeconds: 1)]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> Checked {
        let number = try Target.number(order.number, "phone_number")
        let checked = try await verifications.check(order.code, of: .number(number), for: tenant.id)
        if let session = checked.session { request.note(session.correlationID) }
        return checked
    }
}
