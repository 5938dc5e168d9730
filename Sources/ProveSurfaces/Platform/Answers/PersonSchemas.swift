internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// A person in the API description: as callers submit one, and as they are shown one (Prove 6.3).
enum PersonSchemas {
    static let claim = PersonClaim.members.flatMap(\.fields)

    static let submittedFields =
        [may("firstName", name, ""), may("lastName", name, "")] + claim + [
            may("emailAddresses", Schema.list(of: line).with("maxItems", .integer(10))),
            may(
                "addresses",
                Schema.list(of: address(line, others: true).called("GivenAddress")).with("maxItems", .integer(10))),
        ]
    static let submitted = Schema.record(submittedFields, others: true).requiring(
        ["firstName", "lastName"], unless: ["ssn", "last4SSN"]
    ).called("GivenIndividual")
    private static let name = TextRule.name.schema
    private static let line = TextRule.line.schema

    static let individual = Schema.record([
        must("firstName", .text()), must("lastName", .text()), may("dob", .text(pattern: #"^\d{4}-\d\d-\d\d$"#)),
        may("ssn", .text(pattern: #"^\d{9}$"#)), may("emailAddresses", .list(of: .text())),
        may("addresses", .list(of: address(.text(), others: false).called("Address"))),
    ])

    private static func address(_ text: Schema, others: Bool) -> Schema {
        .record(
            [
                may("address", text), may("extendedAddress", text), may("city", text), may("region", text),
                may("postalCode", text, "Five digits or ZIP+4."),
            ], others: others)
    }
}
