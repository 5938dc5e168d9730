internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The named schemas of the calls of an app's backend.
enum PlatformSchemas {
    static let all: [(name: String, schema: Schema)] = [
        (ErrorShape.token.name, tokenError), UnifyResult.reply.named, ExplainSession.reply.named,
        ("Evaluation", evaluation),
        ("IdentityEvaluation", identityEvaluation), ("Individual", PersonSchemas.individual),
    ]

    private static let tokenError = Schema.record([
        SharedSchemas.stableCode, SharedSchemas.message,
        may("error", .text(), "OAuth's name of it (RFC 6749 section 5.2)."),
        may(
            "error_description", .text(pattern: #"^[ !#-\[\]-~]*$"#), "The message once more, where OAuth clients look."
        ),
    ])
    static let verdict = Schema.record([
        must("result", .choice(["pass", "fail"]), "pass if nothing speaks against it."),
        may("failureReasons", failureReasons, "Code and text of each."),
    ]).called("Verdict")
    private static let failureReasons = Schema.map(of: .text()).called("FailureReasons")
    private static let identityEvaluation = Schema.record([
        must("identification", verdict, "Whether the data that was given agrees with the record.")
    ])
    private static let authentication = Schema.record([
        must("result", .choice(["pass", "fail"]), "pass if a check has proven possession of the number."),
        may("failureReasons", failureReasons, "Code and text of each."),
        may(
            "ipMatch", .choice(["success", "failure", "indeterminate"]),
            """
            Whether an instant link was approved from the ipAddress that the session was started with. On failure the \
            person may have answered another person's session: ask again, or treat the sign-in as new. Indeterminate: the \
            phone's address is not known.
            """),
    ]).called("AuthenticationVerdict")
    private static let evaluation = Schema.record([
        must("authentication", authentication, "Whether the session has proven possession of the number."),
        may(
            "risk", verdict,
            """
            The number's standing: with checkReputation, and always in Pre-Fill. Absent if the standing is not known, \
            and if the session has failed for another reason.
            """),
    ])
}
