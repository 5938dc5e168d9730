internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// The app surface in the API description.
enum AppDescription {
    static let operations: [Operation] =
        [
            operation(
                "initializeFlow", "/initialize", "Start a run",
                """
                The flow token is in the answer and in the cookie holdfast_flow; either opens the run for the next \
                calls. In sandbox mode a page of another origin may bring neither: its next calls belong to the newest \
                run of the same Origin and client address (sandbox.flowByOrigin). A desktop run without finalTargetUrl \
                takes app.finalTargetUrl.
                """,
                caller: nil, body: .record(PrefillDescription.startFields, others: true),
                #"{"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}"#, isBodyRequired: true,
                answer: .record([must("authToken", .text()), must("flowToken", .text())]), headers: ["Set-Cookie"],
                errors: [.platform(.numberNotServed), .platform(.otherProduct)]),
            operation(
                "verifyFlow", "/verify", "Ask whose number it is",
                """
                Whether the number is proven and, where birth date or SSN agree, the record behind it. May be repeated; \
                three that differ end the run. Without a birth date or SSN, where one is needed, challengeMissing is true.
                """,
                caller: .flowToken, body: .record([authID] + PrefillDescription.claim, others: true), "{}",
                answer: .record([
                    must("success", .flag), may("challengeMissing", .flag),
                    may("phoneNumber", .text(), "As sent; one found on the way is E.164."),
                    may("firstName", .text()), may("lastName", .text()), may("individual", .named("Individual")),
                    may(
                        "evaluation", .any(of: [.named("Evaluation"), .named("IdentityEvaluation")]),
                        "Why, by category."),
                ]),
                errors: steps),
            operation(
                "finishFlow", "/finish", "Confirm the person's data",
                "The last step. A member may stand in individual or beside it.",
                caller: .flowToken,
                body: .record(
                    [authID] + PrefillDescription.submittedFields + [
                        may(
                            "individual",
                            Schema.record(PrefillDescription.submittedFields, others: true).orNull)
                    ], others: true), #"{"firstName":"Marcia","lastName":"Longo"}"#,
                answer: PrefillDescription.completed, errors: steps),
        ] + ["/initialize", "/verify", "/finish"].map(preflight)

    private static let authID = may(
        "authId", Schema.givenIdentifier.orNull,
        "Has to name the same run; alone it opens one where app.acceptAuthId is set.")
    private static let steps: [AppError] = [
        .noFlow, .unknownFlow, .endedFlow, .platform(.stepNotAllowed), .platform(.sourceUnavailable),
    ]
    private static let common: [AppError] = [
        .platform(.field(.missing("flowType"))), .platform(.body(.empty)), .originNotAllowed,
        .platform(.body(.tooLarge(.session))),
        .platform(.body(.mediaType(expected: RequestBody.json))), .platform(.overloaded), .platform(.internalFault("")),
        .platform(.rateLimited(.init(.startsPerAddress, retryAfterSeconds: 1))),
        .notSetUp,
    ]

    private static func operation(
        _ id: String, _ path: String, _ summary: String, _ detail: String, caller: CallerScheme?, body: Schema,
        _ example: StaticString, isBodyRequired: Bool = false, answer: Schema, headers: [String] = [],
        errors: [AppError]
    ) -> Operation {
        Operation(
            id: id, method: .post, path: path, surface: .app, summary: summary, detail: detail, caller: caller,
            body: .json(body, example), isBodyRequired: isBodyRequired,
            answers: [Answer(status: 200, about: "The answer.", content: .json(answer), headers: headers)],
            errors: (errors + common).map(\.response), bound: .session)
    }

    private static func preflight(_ path: String) -> Operation {
        Operation(
            id: "preflight" + path.dropFirst().prefix(1).uppercased() + path.dropFirst(2), method: .options,
            path: path, surface: .app, summary: "Preflight",
            detail: "Whether a web page may call, with cookies (CORS): the origins of app.allowedOrigins.",
            parameters: [.header(may("Origin", .text(), "Set by the browser."))],
            answers: [Answer(status: 204, about: "It may, or nobody asked.", headers: ["Vary"])],
            errors: [AppError.originNotAllowed.response])
    }
}
