internal import Possession

/// The named schemas of the document.
enum SharedSchemas {
    static let all: [(name: String, schema: Schema)] =
        [
            ("CodedError", error), ("TokenError", tokenError), ("ClientError", clientError), ("HopError", hopError),
            ("OAuthError", oauthError), ("OperatorError", operatorError), ("State", state),
            ("MobileAuthAttempt", mobileAuthAttempt), ("UnifyResult", unifyResult), ("Evaluation", evaluation),
            ("IdentityEvaluation", identityEvaluation),
            ("Individual", PrefillDescription.individual),
            ("SandboxSession", sandboxSession()), ("SandboxTimeline", sandboxSession(events)),
            ("SandboxClock", sandboxClock), ("Identity", identity), ("VerifiedIdentity", verifiedIdentity),
            ("VerificationEvaluation", verificationEvaluation),
        ] + DescribedErrors.unions

    private static let code = Schema.integer(1...99_999)
    private static let message = must("message", .text(), "For developers: names the field and the reason.")

    private static let error = Schema.record([must("code", code, "What went wrong; stable."), message])
    private static let tokenError = Schema.record([
        must("code", code, "What went wrong; stable."), message,
        may("error", .text(), "OAuth's name of it (RFC 6749 section 5.2)."),
        may(
            "error_description", .text(pattern: #"^[ !#-\[\]-~]*$"#), "The message once more, where OAuth clients look."
        ),
    ])
    private static let clientError = Schema.record([
        must("code", code, "What went wrong; stable."),
        may("error", .text(), "The same as a name; stable. Missing only where the call itself was not reached."),
        message,
        may("state", .named("State"), "The state after the call, for whoever has shown to be the session's client."),
    ])
    private static let hopError = Schema.record([
        must("error", .choice([HopAnswer.unavailable])), may("message", .text(), "Which limit refused the call."),
    ])
    private static let oauthError = Schema.record([
        must("error", .text(), "RFC 6749 section 5.2."), must("error_description", .text()),
    ])
    private static let operatorError = Schema.record([
        must("status", .integer(400...599)), must("code", .text(), "CAMARA's name of it."), message,
    ])

    private static let state = Schema.record([
        must("authId", .identifier, "The session, as its client knows it."),
        must("rev", .integer(0...Int.max), "Grows with every change; for a long poll's after."),
        must("status", .choice(["created", "active", "done"])),
        may("outcome", .choice(Session.Outcome.self), "When done."),
        must("flow", .choice(SessionRequest.Flow.self)),
        may("step", .choice(Session.Step.self), "When active: what is due."),
        must("allowed", .list(of: .choice(Session.Action.self)), "The calls that make sense now."),
        must("expiresAt", .moment, "When the session ends by itself."),
        must("phone", phone), must("device", device), may("otp", otp, "Where a code is part of the plan."),
        may("link", link, "Where a link is part of the plan."),
        may("mobileAuth", mobileAuth, "Where Mobile Auth is part of the plan."),
    ])
    private static let phone = Schema.record([
        must("needed", .flag, "The person must be asked for the number."),
        may("masked", .text(), "The number, but for its last digits."),
    ])
    private static let device = Schema.record([
        must("status", .choice(["absent", "pending", "recognized", "mismatch", "revoked", "inactive"])),
        may("challenge", .text(pattern: "^[A-Za-z0-9_-]+$"), "What the device proof must contain."),
        must("rotate", .flag, "The client should make a new key."),
    ])
    private static let left = Schema.integer(0...Int.max)
    private static let otp = Schema.record([
        may("codeLength", .integer(4...10), "In digits."), may("codeExpiresAt", .moment),
        must("sendsLeft", left), may("attemptsLeft", left, "Tries at the code that is out."),
        must("phoneEntriesLeft", left, "How often another number may be named."),
    ])
    private static let link = Schema.record([
        may("expiresAt", .moment), may("waitUntil", .moment, "Until when it is worth waiting."),
        must("sendsLeft", left), must("phoneEntriesLeft", left),
        may("matchCode", .text(pattern: #"^\d\d$"#), "To be shown: the person types it on the phone."),
        may("error", .text(pattern: "^link_[a-z_]+$"), "Why it did not pass."), may("code", code),
    ])
    private static let mobileAuth = Schema.record([
        must("attemptsLeft", left), may("error", .text(pattern: "^mobile_auth_[a-z_]+$"), "Why it did not pass."),
        may("code", code),
    ])
    private static let mobileAuthAttempt = Schema.record([
        must("attemptId", .text(), "For finish."), must("authUrl", .text(format: "uri"), "The first hop."),
        must("network", .choice(["cellular"]), "What the hops must be followed over."),
        must("mode", .choice(["client", "navigate"]), "client: follow the redirects yourself. navigate: go there."),
        must("timeoutMs", .integer(1...Int.max), "After which to finish with an error."),
        may("expiresAt", .moment, "Until when the first hop can be taken."), must("state", .named("State")),
    ])

    private static let unifyResult = Schema.record([
        must("success", .choice(["pending", "true", "false", "possession_required"]), "A text, not a flag."),
        may("phoneNumber", .text(), "As sent; one found on the way is E.164."),
        may("proveId", .identifier, "The number, as the API client's own; on success."),
        may("deviceId", .identifier, "The bound key; on success, where there is one."),
        may("clientHumanId", .text(), "As sent to unify; on success."),
        may("clientRequestId", .text(), "As sent here, else as sent to unify."),
        may("evaluation", .named("Evaluation"), "Why, by category."),
    ])
    private static let verdict = Schema.record([
        must("result", .choice(["pass", "fail"])),
        may("failureReasons", .map(of: .text()), "Code and text of each."),
    ])
    private static let identityEvaluation = Schema.record([must("identification", verdict)])
    private static let authentication = Schema.record([
        must("result", .choice(["pass", "fail"])),
        may("failureReasons", .map(of: .text()), "Code and text of each."),
        may(
            "ipMatch", .choice(["success", "failure", "indeterminate"]),
            """
            Whether an instant link was approved from the ipAddress that the session was started with. On failure the \
            person may have answered somebody else's session: ask again, or treat the sign-in as new. Indeterminate: the \
            phone's address is not known.
            """),
    ])
    private static let evaluation = Schema.record([must("authentication", authentication), may("risk", verdict)])

    private static let verificationEvaluation = Schema.record([
        may("identification", verdict, "Whether it is the person."),
        may("risk", verdict, "What speaks against the number."),
    ])

    private static let identity = Schema.record([
        must("phoneNumber", .text(), "E.164."), must("proveId", .identifier),
        must("identityId", .identifier, "The same."),
        must("active", .flag), may("clientCustomerId", .text()), may("clientHumanId", .text()),
        may("deviceId", .identifier), must("createdAt", .integer(0...Int.max), "Seconds since 1970."),
        must("creationString", .moment),
    ])
    private static let verifiedIdentity = Schema.record([
        must("assuranceLevel", .choice(Assurance.Level.texts)),
        must("reasons", .list(of: .text(pattern: "^AL-?[0-9][a-z]$"))),
        may("firstName", .text(), "This and the rest: of prefill and identityResolution alone."),
        may("lastName", .text()), may("dateOfBirth", .text()), may("nationalId", .text(), "The SSN."),
        may("emails", .list(of: .text())),
        may(
            "addresses",
            .list(
                of: .record([
                    may("address", .text()), may("extendedAddress", .text()), may("city", .text()),
                    may("region", .text()), may("zipCode", .text()),
                ]))),
    ])

    private static func sandboxSession(_ more: [Field] = []) -> Schema {
        .record(
            [
                must("correlationId", .identifier), must("authId", .identifier), must("clientId", .text()),
                must("flow", .choice(SessionRequest.Flow.self)), may("phoneNumber", .text()),
                must("status", .choice(["created", "active", "done"])),
                may("step", .choice(Session.Step.self)), may("outcome", .choice(Session.Outcome.self)),
                may("endedAt", .moment), may("method", .text(pattern: "^[a-zA-Z]+$"), "Which check passed."),
                must("createdAt", .moment), must("expiresAt", .moment),
            ] + more)
    }
    private static let events = [
        must(
            "events",
            .list(
                of: .record([
                    must("at", .moment), must("event", .choice(SessionEvent.Kind.self)),
                    may("detail", .text(), "A word of a fixed list, or a masked number."),
                ])), "Oldest first.")
    ]
    private static let sandboxClock = Schema.record([
        must("now", .moment), must("offsetSeconds", left, "How far it is ahead of the machine's."),
    ])
}
