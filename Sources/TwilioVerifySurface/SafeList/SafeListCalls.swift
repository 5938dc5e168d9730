internal import HTTPServer
internal import SurfaceKit

// Calls about the numbers that an API client allows.

/// `POST /twilio-verify/v2/SafeList/Numbers`: puts a number on the list. May be repeated.
///
///     PhoneNumber=%2B12001004014  ->  201 {"sid":"GN...","phone_number":"+12001004014",...}
struct AddSafeNumber: TwilioEndpoint {
    let numbers: SafeNumbers

    static let call = Call(
        .post, TwilioPath.safeList, id: "CreateSafelist", "Allow a number",
        """
        It lifts the API client's own block of the number, and nothing of the server's: limits, closed countries and lines \
        hold. The list is the one of the allowed numbers of the Prelude surface. It has at most 10,000 numbers.
        """,
        body: .form(#"{"PhoneNumber":"+12001004014"}"#))
    static let body = Shape("") {
        Member.required("PhoneNumber", .target, "The number, in E.164.") { $0 = $1 }
    }
    static let reply = CreatedReply(SafeNumber.reply, "The number is listed.", example: SafeNumber.example)

    func respond(
        to number: String, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> SafeNumber {
        try await numbers.add(number, for: caller)
    }
}

/// `GET /twilio-verify/v2/SafeList/Numbers/{PhoneNumber}`: whether a number is on the list.
struct FetchSafeNumber: TwilioEndpoint {
    let numbers: SafeNumbers

    static let call = Call(
        .get, TwilioPath.safeNumber, id: "FetchSafelist", "Look whether a number is allowed",
        "One that is not listed answers 404.", answer: "The number is listed.")
    static let body = Shape("")
    static let parameters = Parameters<String, TwilioError> { ParameterMember.safeNumber }
    static let reply = SafeNumber.reply

    func respond(
        to number: String, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> SafeNumber {
        try await numbers.number(number, of: caller)
    }
}

/// `DELETE /twilio-verify/v2/SafeList/Numbers/{PhoneNumber}`: takes a number off the list.
struct RemoveSafeNumber: TwilioEndpoint {
    let numbers: SafeNumbers

    static let call = Call(
        .delete, TwilioPath.safeNumber, id: "DeleteSafelist", "Allow a number no more",
        "One that is not listed answers 404.")
    static let body = Shape("")
    static let parameters = Parameters<String, TwilioError> { ParameterMember.safeNumber }
    static let reply = ResponseReply<Nothing>.removed

    func respond(
        to number: String, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> Nothing {
        try await numbers.remove(number, of: caller)
        return Nothing()
    }
}

extension ParameterMember where Body == String, Refusal == TwilioError {
    fileprivate static var safeNumber: ParameterMember {
        .path("PhoneNumber", .internationalNumber, "The number, with %2B for the plus.") { $0 = $1 }
    }
}
