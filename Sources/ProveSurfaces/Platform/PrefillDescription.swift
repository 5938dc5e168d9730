internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The Pre-Fill calls of the platform surface in the API description.
enum PrefillDescription {
    static let operations = [
        PlatformDescription.operation(
            "startPrefill", "/v3/start", "Start a Pre-Fill run",
            "The backend hands authToken to its client, and goes on as next says.",
            body: .json(
                .record(startFields, others: true), #"{"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}"#),
            answer: Answer(
                status: 200, about: "The run.",
                content: .json(
                    .record([
                        must("authToken", .text(), "For the client; good for 15 minutes and one client."),
                        must("correlationId", .identifier, "The run, for the backend alone."), next,
                    ]))),
            errors: [.numberNotServed, .otherProduct]),
        PlatformDescription.operation(
            "validateNumber", "/v3/validate", "Ask whether the number is proven",
            "May be repeated. Before the client is done it answers false, ends nothing, and names itself as next.",
            body: .json(.record([PlatformDescription.correlationID], others: true), example),
            answer: Answer(
                status: 200, about: "Whether it is.",
                content: .json(
                    .record([
                        must("success", .flag),
                        must("challengeMissing", .flag, "Whether challenge has to be told a birth date or SSN."), next,
                        may("phoneNumber", .text(), "As sent; one found on the way is E.164."),
                        may("evaluation", .named("Evaluation"), "Why, by category."),
                    ]))),
            errors: [.unknownCorrelationID]),
        PlatformDescription.operation(
            "challengePerson", "/v3/challenge", "Show the record behind the number",
            """
            To who knows the birth date or SSN in it, whole or in part. One that differs ends the run. Values sent here \
            replace those sent to start.
            """,
            body: .json(
                .record([PlatformDescription.correlationID] + claim, others: true),
                #"{"correlationId":"019b7907-8d58-7500-8000-000000000001","dob":"1982-07-19"}"#),
            answer: Answer(
                status: 200, about: "The record, where they agree.",
                content: .json(
                    .record([
                        must("success", .flag), next, may("individual", .named("Individual")),
                        may("evaluation", .named("IdentityEvaluation"), "Why."),
                    ]))),
            errors: steps),
        PlatformDescription.operation(
            "completePrefill", "/v3/complete", "Confirm the person's data",
            """
            The last step. Names, birth date and SSN that differ from the record end the run without success; a change \
            of address or e-mail only sets changeDetected. Of several addresses the first counts, and so of e-mails.
            """,
            body: .json(
                .record([PlatformDescription.correlationID, must("individual", submitted)], others: true),
                """
                {"correlationId":"019b7907-8d58-7500-8000-000000000001","individual":{"firstName":"Marcia",\
                "lastName":"Longo"}}
                """),
            answer: Answer(status: 200, about: "The end.", content: .json(completed)), errors: steps,
            bound: .person),
    ]

    static let next = must("next", Schema.map(of: .text()), "The one step that may follow, and its path.")
    private static let steps: [PlatformError] = [.unknownCorrelationID, .stepNotAllowed, .sourceUnavailable]
    private static let example: StaticString = #"{"correlationId":"019b7907-8d58-7500-8000-000000000001"}"#

    static let claim = [
        may(
            "dob",
            Schema.text(pattern: "^$|^(\(year)-)?\(month)-(0[1-9]|[12][0-9]|3[01])$|^\(year)-\(month)$").orNull,
            "YYYY-MM-DD, YYYY-MM or MM-DD, from 1900 on."),
        may("ssn", ssn, "Nine digits, or the last four."), may("last4SSN", ssn, "The older name of ssn."),
    ]
    private static let year = "(19|[2-9][0-9])[0-9]{2}"
    private static let month = "(0[1-9]|1[0-2])"
    private static let ssn = Schema.text(pattern: #"^$|^\d{4}$|^\d{9}$"#).orNull

    static let startFields =
        [
            must("flowType", .choice(["mobile", "desktop"]), "mobile: code or link. desktop: link."),
            may("phoneNumber", PlatformDescription.phoneNumber.orNull, "The claimed number."),
            PlatformDescription.finalTargetURL,
        ] + claim + [
            PlatformDescription.emailAddress, PlatformDescription.ipAddress, PlatformDescription.smsMessage,
            may("allowOTPRetry", Schema.flag.orNull, "More than one try at a code."),
        ]

    static let submittedFields =
        [may("firstName", name, ""), may("lastName", name, "")] + claim + [
            may("emailAddresses", Schema.list(of: line).with("maxItems", .integer(10)).orNull),
            may(
                "addresses",
                Schema.list(of: address(line.orNull, others: true)).with("maxItems", .integer(10)).orNull),
        ]
    private static let submitted = Schema.record(submittedFields, others: true).requiring(
        ["firstName", "lastName"], unless: ["ssn", "last4SSN"])
    private static let name = Schema.text(most: Person.Limit.nameCharacters, pattern: IdentityDescription.plain).orNull
    private static let line = Schema.text(most: Person.Limit.textBytes, pattern: IdentityDescription.plain)

    static let completed = Schema.record([
        must("success", .flag), next, must("changeDetected", .flag, "Whether anything differs from the record."),
        may("evaluation", .named("IdentityEvaluation"), "Why."), may("idv", ComplianceSchemas.idv),
        may("kyc", ComplianceSchemas.kyc),
    ])

    static let individual = Schema.record([
        must("firstName", .text()), must("lastName", .text()), may("dob", .text(pattern: #"^\d{4}-\d\d-\d\d$"#)),
        may("ssn", .text(pattern: #"^\d{9}$"#)), may("emailAddresses", .list(of: .text())),
        may("addresses", .list(of: address(.text(), others: false))),
    ])

    private static func address(_ text: Schema, others: Bool) -> Schema {
        .record(
            [
                may("address", text), may("extendedAddress", text), may("city", text), may("region", text),
                may("postalCode", text, "Five digits or ZIP+4."),
            ], others: others)
    }
}
