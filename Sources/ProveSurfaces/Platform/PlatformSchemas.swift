internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The named schemas of the calls of an app's backend.
enum PlatformSchemas {
    static let all: [(name: String, schema: Schema)] = [
        (ErrorShape.token.name, tokenError), UnifyResult.reply.named, ("Evaluation", evaluation),
        ("IdentityEvaluation", identityEvaluation), ("Individual", PersonSchemas.individual),
    ]
    /// Of verification and Identity Manager.
    static let ofIdentity: [(name: String, schema: Schema)] = [
        ("Identity", identity), ("VerifiedIdentity", verifiedIdentity),
        ("VerificationEvaluation", verificationEvaluation),
    ]

    private static let tokenError = Schema.record([
        SharedSchemas.stableCode, SharedSchemas.message,
        may("error", .text(), "OAuth's name of it (RFC 6749 section 5.2)."),
        may(
            "error_description", .text(pattern: #"^[ !#-\[\]-~]*$"#), "The message once more, where OAuth clients look."
        ),
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
}
