internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The platform surface in the API description.
enum PlatformDescription {
    static let operations: [Operation] =
        [token]
        + ["/v3/unify", "/unify"].map(unify)
        + ["/v3/unify-status", "/unify-status"].map(status)
        + ["/v3/unify-bind", "/unify-bind"].map(bind) + [revoke]

    private static let token = Operation(
        id: "issueToken", method: .post, path: "/token", surface: .platform, summary: "Get an access token",
        detail: """
            OAuth 2.0 client credentials (RFC 6749 section 4.4). Client id and secret stand in the form, or in \
            Authorization: Basic.
            """,
        body: .form(
            .record(
                [
                    must("grant_type", .choice(["client_credentials"])),
                    may("client_id", .text(), "Unless in Authorization."),
                    may("client_secret", .text(), "Unless in Authorization."),
                ], others: true),
            #"{"grant_type":"client_credentials","client_id":"sandbox","client_secret":"sandbox-secret"}"#),
        answers: [
            Answer(
                status: 200, about: "The token.",
                content: .json(
                    .record([
                        must("access_token", .text()), must("token_type", .choice(["Bearer"])),
                        must("expires_in", .integer(1...Int.max), "Seconds."),
                    ])),
                headers: ["Cache-Control"])
        ],
        errors: [
            PlatformError.tokenField(.missing("grant_type")), .tokenBody(.malformed(reason: "...")),
            .unsupportedGrantType, .invalidClient, .tokenBody(.mediaType(expected: RequestBody.form)),
            .tokenBody(.tooLarge(.short)), .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ].map(\.response),
        errorShape: .token, bound: .short)

    /// What every call with an access token may answer.
    static let common: [PlatformError] = [
        .field(.missing("possessionType")), .body(.empty), .unauthorized(wasSent: false),
        .body(.mediaType(expected: RequestBody.json)), .body(.tooLarge(.session)),
        .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
        .internalFault(""),
    ]

    static func operation(
        _ id: String, _ path: String, _ summary: String, _ detail: String, body: Content, answer: Answer,
        errors: [PlatformError], bound: BodyBound = .session
    ) -> Operation {
        let isAlias = !path.hasPrefix("/v3/")
        return Operation(
            id: isAlias ? id + "Alias" : id, method: .post, path: path, surface: .platform,
            summary: isAlias ? "\(summary), short path" : summary,
            detail: isAlias ? "The same as /v3\(path). \(detail)" : detail,
            caller: .accessToken, body: body, answers: [answer], errors: (errors + common).map(\.response),
            original: isAlias ? id : nil, bound: bound)
    }

    private static func unify(_ path: String) -> Operation {
        operation(
            "startUnify", path, "Start a session",
            "The backend hands authToken to its client, and asks for the outcome with correlationId.",
            body: .json(
                .record(unifyFields, others: true),
                #"{"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"r-1"}"#),
            answer: Answer(
                status: 200, about: "The session.",
                content: .json(
                    .record([
                        must("correlationId", .identifier, "The session, for the backend alone."),
                        must("success", .choice(["pending"])),
                        must("authToken", .text(), "For the client; good for 15 minutes and one client."),
                    ]))),
            errors: [.numberNotServed, .otherProduct])
    }

    private static let reference = Schema.text(most: TextRule.reference.maxCharacters, pattern: plain).orNull
    private static let plain = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"
    static let phoneNumber = Schema.text(
        least: 1, most: TextRule.phoneNumber.maxCharacters, pattern: "^[A-Za-z0-9+ .()-]+$")

    /// No port, or one to 65,535; the host must be one that the API client has registered.
    static let targetURL = Schema.text(
        least: 1, most: FinalTargetURL.maxCharacters,
        pattern: #"^https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[1-9][0-9]{0,4})?([/?][A-Za-z0-9._+=/:?-]*)?$"#)
    static let finalTargetURL = may("finalTargetUrl", targetURL.orNull, "Where the link leads in the end.")
    static let smsMessage = may(
        "smsMessage", Schema.text(least: 1, most: MessageTemplate.maxCharacters).orNull,
        "The message; #### is the code.")
    static let emailAddress = may(
        "emailAddress",
        Schema.text(least: 1, most: TextRule.emailAddress.maxCharacters, pattern: "^[A-Za-z0-9@.+_-]+$").orNull,
        "Of the person.")
    static let ipAddress = may(
        "ipAddress",
        Schema.text(least: 1, most: TextRule.ipAddress.maxCharacters, pattern: "^[A-Za-z0-9.:]+$").orNull,
        "Of the person's device.")

    private static let unifyFields = [
        must(
            "possessionType", .choice(SessionRequest.Flow.self),
            "mobile: code or link. desktop: link. none: device key only, then bind."),
        may("clientRequestId", reference, "The caller's own name of the call; echoed."),
        may("phoneNumber", phoneNumber.orNull, "The claimed number. Blanks, dots, hyphens and brackets do not count."),
        may("proveId", Schema.givenIdentifier.orNull, "A number proven before, in place of phoneNumber."),
        finalTargetURL, smsMessage,
        may("allowOTPRetry", Schema.flag.orNull, "More than one try at a code."),
        may("rebind", Schema.flag.orNull, "The device key may move to this number."),
        may("deviceId", Schema.givenIdentifier.orNull, "The device key that is expected."),
        may("checkReputation", Schema.flag.orNull, "Whether the number's standing counts."),
        may("clientCustomerId", reference, "The caller's own name of the person."),
        may("clientHumanId", reference, "Echoed on success."),
        emailAddress, ipAddress,
        may("mobileAuthEnabled", Schema.flag.orNull, "Overrides the API client's setting."),
    ]

    static let correlationID = must(
        "correlationId", .givenIdentifier, "Of the session. An unknown one answers 8008.")
    private static let requestID = may("clientRequestId", reference, "Echoed.")

    private static func status(_ path: String) -> Operation {
        operation(
            "readUnifyStatus", path, "Read the outcome",
            "May be repeated. pending until the client is done; readable for 15 minutes after the end.",
            body: .json(
                .record([correlationID, requestID], others: true),
                #"{"correlationId":"019b7907-8d58-7500-8000-000000000001"}"#),
            answer: Answer(
                status: 200, about: "The outcome.",
                content: .json(.named("UnifyResult"))),
            errors: [.unknownCorrelationID])
    }

    private static func bind(_ path: String) -> Operation {
        operation(
            "bindUnify", path, "Vouch for the number",
            "The backend has checked possession itself. A wrong number answers \"false\" and costs one of three tries.",
            body: .json(
                .record([correlationID, must("phoneNumber", phoneNumber), requestID], others: true),
                #"{"correlationId":"019b7907-8d58-7500-8000-000000000001","phoneNumber":"2001004014"}"#),
            answer: Answer(status: 200, about: "The outcome.", content: .json(.named("UnifyResult"))),
            errors: [.unknownCorrelationID, .stepNotAllowed, .otherProduct])
    }

    private static let revoke = operation(
        "revokeDevice", "/v3/device/revoke", "Revoke a device key",
        "The key is no longer good. Revoking it twice is no error.",
        body: .json(
            .record([must("deviceId", .givenIdentifier), requestID], others: true),
            #"{"deviceId":"019b7907-8d58-7500-8000-000000000003"}"#),
        answer: Answer(
            status: 200, about: "Done.", content: .json(.record([must("success", .flag)]))),
        errors: [.notFound(what: "device")])
}
