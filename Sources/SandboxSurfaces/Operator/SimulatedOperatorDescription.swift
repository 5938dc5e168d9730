internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// The operator that the sandbox plays in the API description.
enum SimulatedOperatorDescription {
    static let operations = [authorize, token, verify, read]

    private static let authorize = Operation(
        id: "authorizeConnection", method: .get, path: SimulatedOperator.authorizePath, surface: .simulatedOperator,
        summary: "Recognise the connection",
        detail: "OpenID Connect without interaction: prompt=none, PKCE by S256, login_hint=tel:+...",
        parameters: [
            "response_type", "client_id", "redirect_uri", "scope", "state", "prompt", "code_challenge",
            "code_challenge_method", "login_hint",
        ].map { .query(may($0, .text())) },
        answers: [Answer(status: 302, about: "To redirect_uri, with code or error.", headers: ["Location"])],
        errors: [OAuthError.invalidRequest("client_id is not known").response], errorShape: .oauth)

    private static let token = Operation(
        id: "redeemOperatorCode", method: .post, path: SimulatedOperator.tokenPath, surface: .simulatedOperator,
        summary: "Trade a code for a token",
        detail: "RFC 6749 section 4.1.3 with PKCE; the client is known by private_key_jwt (RFC 7523).",
        body: .form(
            .record(
                [
                    "client_id", "client_assertion_type", "client_assertion", "grant_type", "code", "redirect_uri",
                    "code_verifier",
                ].map { must($0, .text()) }, others: true)),
        answers: [
            Answer(
                status: 200, about: "The token.",
                content: .json(
                    .record([
                        must("access_token", .text()), must("token_type", .choice(["Bearer"])),
                        must("expires_in", .integer(1...Int.max)), must("scope", .text()),
                    ])))
        ],
        errors: [
            OAuthError.invalidRequest("code is missing"), .unsupportedGrantType, .invalidClient, .invalidGrant,
            .serverError,
        ].map(\.response), errorShape: .oauth, bound: .short)

    private static let correlator = Parameter.header(
        may("x-correlator", .text(pattern: "^[a-zA-Z0-9_:;./<>{}-]{0,256}$"), "Comes back with the answer."))

    private static let verify = Operation(
        id: "verifyDeviceNumber", method: .post, path: SimulatedOperator.apiPath + "/verify",
        surface: .simulatedOperator, summary: "Is it this number's connection?",
        detail: "CAMARA Number Verification; exactly one of the two members.", caller: .operatorToken,
        parameters: [correlator],
        body: .json(
            .record(
                [
                    may("phoneNumber", .text(pattern: #"^\+[1-9][0-9]{4,14}$"#), "E.164."),
                    may("hashedPhoneNumber", .text(pattern: "^[a-fA-F0-9]{64}$"), "SHA-256 of it, in hex."),
                ], others: true), #"{"phoneNumber":"+12001004016"}"#),
        answers: [
            Answer(
                status: 200, about: "Whether it is.",
                content: .json(
                    .record([must("devicePhoneNumberVerified", .flag)]), #"{"devicePhoneNumberVerified":true}"#))
        ], errors: errors([.invalidArgument("exactly one of phoneNumber and hashedPhoneNumber is due")]),
        errorShape: .camara, bound: .short)

    private static let read = Operation(
        id: "readDeviceNumber", method: .get, path: SimulatedOperator.apiPath + "/device-phone-number",
        surface: .simulatedOperator, summary: "Whose connection is it?", detail: "CAMARA Number Verification.",
        caller: .operatorToken, parameters: [correlator],
        answers: [
            Answer(
                status: 200, about: "The number.",
                content: .json(
                    .record([must("devicePhoneNumber", .text())]), #"{"devicePhoneNumber":"+12001004016"}"#))
        ], errors: errors([.invalidArgument("x-correlator has another form")]), errorShape: .camara)

    private static func errors(_ more: [OperatorAPIError]) -> [Response] {
        (more + [.unauthenticated, .permissionDenied, .notOnNetwork, .gatewayTimeout]).map(\.response)
    }

    static let oauthError = Schema.record([
        must("error", .text(), "RFC 6749 section 5.2."), must("error_description", .text()),
    ])
    static let operatorError = Schema.record([
        must("status", .integer(400...599)), must("code", .text(), "CAMARA's name of it."), SharedSchemas.message,
    ])
}
