internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/create`: stores a request for a number or an address. The app's SDK begins it by its id.
/// Sends no message.
///
///     {"phoneNumber":"2001004016","countryCode":"1","expiry":300}  ->  200 {"requestId":"ARID_019b..."}
struct CreateRequest: OtplessEndpoint {
    struct Order: Sendable {
        var number: String?
        var countryCode: String?
        var email: String?
        var lifetimeSeconds = OtplessRules.createdSeconds
    }

    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.current + "/create", id: "CreateRequest", "Name a number for the app",
        "The app's SDK begins the request by its id. Until then auth/v2/status answers PENDING.",
        body: .json(#"{"phoneNumber":"2001004016","countryCode":"1","expiry":300}"#), demand: .begins,
        answer: "The request.")
    static let body = Shape(Order()) {
        Member.optional("phoneNumber", .text(.phoneNumber), "Without country code, or with a plus and all of it.") {
            $0.number = $1
        }
        Member.optional("countryCode", .callingCode, "Of phoneNumber, such as 91. The plus may be missing.") {
            $0.countryCode = $1
        }
        Member.optional("email", .text(.freeText(254)), "In the place of a number.") { $0.email = $1 }
        Member.optional("expiry", .expiry(OtplessRules.createdLifetimes), "Of the request, in seconds. Else 900.") {
            $0.lifetimeSeconds = $1
        }
        Member.ignored("tid", .text(.freeText(64)), "No effect: texts are the operator's.")
    }
    static let reply = Reply<CorrelationID>(
        example: #"{"requestId":"ARID_019b79078d5875008000000000000001"}"#
    ) {
        ReplyMember.always("requestId", CreatedID.output, "For the app's SDK, and for auth/v2/status.") { $0 }
    }
    static let refusals: [OtplessError] = [.noTarget, .noEmail, .countryClosed]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> CorrelationID {
        let session = try await verifications.create(order, for: tenant)
        request.note(session.correlationID)
        return session.correlationID
    }
}

extension CreateRequest.Order {
    /// The number with its country code; `nil`: the request names no number.
    func wholeNumber() throws(OtplessError) -> String? {
        guard let number else { return nil }
        guard !OtplessVerifications.hasPlus(number) else { return number }
        guard let countryCode else { throw .field(.missing("countryCode")) }
        return countryCode + number
    }
}

extension Input where Value == String {
    /// The country code without the plus.
    fileprivate static var callingCode: Input {
        text(.freeText(8)).map(orFail: "must be 1 to 3 digits") { text in
            let digits = text.utf8.first == UInt8(ascii: "+") ? text.utf8.dropFirst() : text.utf8[...]
            let isCode = (1...3).contains(digits.count) && digits.allSatisfy { $0 >= 48 && $0 <= 57 }
            return isCode ? String(decoding: digits, as: UTF8.self) : nil
        }
        .described(as: .text(pattern: "^[+]?[0-9]{1,3}$"))
    }
}
