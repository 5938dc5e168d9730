internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /otpless/auth/userInfo`: the person of a token, for the older libraries. Id and secret are in the form.
///
///     token=AZt5...&client_id=sandbox&client_secret=...
///     ->  200 {"auth_time":"1767254400","phone_number":"12001004014","email":null,"name":null,"country_code":"+1",...}
struct ReadUserInfo: OtplessFormEndpoint {
    struct Order: Sendable {
        var token = ""
        var client: String?
        var secret: String?
    }

    let verifications: OtplessVerifications
    let gate: OtplessGate

    static let call = Call(
        .post, "/otpless/auth/userInfo", id: "ReadUserInfo", "Whose token it is (older call)",
        """
        For an hour after the success. Where the header fields clientId and clientSecret are there, they count, and not \
        those of the form. Parameters of the URL are not looked at.
        """,
        body: .form(
            """
            {"token":"AZt5B41YdQCAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAA","client_id":"sandbox","client_secret":"sandbox-secret"}
            """, upTo: .session), demand: .reads, answer: "The person.")
    static let body = Shape(Order()) {
        Member.required("token", .anyText, "Of a request of the caller.") { $0.token = $1 }
        Member.optional("client_id", .anyText, "Of the API client.") { $0.client = $1 }
        Member.optional("client_secret", .anyText, "Of the API client.") { $0.secret = $1 }
    }
    static let reply = Reply<ProvenPerson>(
        headers: [("Cache-Control", "no-store")],
        example: """
            {"sub":"MO-00000000000000000000000000000001","auth_time":"1767254400","phone_number":"12001004014",\
            "email":null,"name":null,"country_code":"+1","national_phone_number":"2001004014",\
            "phone_number_verified":true,"email_verified":false,\
            "authentication_details":"{\\"phone\\":{\\"auth_state\\":\\"verified\\"}}"}
            """
    ) {
        ReplyMember.always("sub", .text, "userId of validate/token.") { $0.userID }
        ReplyMember.always("auth_time", .text(.text(pattern: "^[0-9]+$")), "In seconds since 1970: a text.") {
            String($0.provenAt.seconds)
        }
        ReplyMember.always("phone_number", .textOrNull, "With country code, without the plus.") { $0.digits }
        ReplyMember.always(
            "email", .textOrNull, "The proven address, or that of a provider that the sandbox plays. Else null."
        ) { $0.email }
        ReplyMember.always("name", .textOrNull, "Of a provider that the sandbox plays; else null.") { $0.name }
        ReplyMember.always("country_code", .textOrNull, "With the plus.") { $0.countryCode }
        ReplyMember.always(
            "national_phone_number", .textOrNull, "The number without its country code. Else null."
        ) { $0.nationalNumber }
        ReplyMember.always("phone_number_verified", .flag, "false: phone_number is null.") { $0.digits != nil }
        ReplyMember.always("email_verified", .flag, "false: email is null.") { $0.email != nil }
        ReplyMember.always("authentication_details", .text, "JSON, as a text.") { $0.authenticationDetails }
    }
    static let refusals: [OtplessError] =
        [.tokenInvalid, .field(.missing("token"))] + OtplessGate.refusals

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> ProvenPerson {
        let tenant = try await gate.tenant(of: request, orNamed: order.client, secret: order.secret)
        return try await verifications.person(ofToken: order.token, for: tenant, request)
    }
}

extension Output where Value == String? {
    fileprivate static var textOrNull: Output { Output(Schema.text().orNull) { $0.map { .string($0) } ?? .null } }
}
