internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// A person in the API description: in requests, and in answers (Prove 6.3).
enum PersonSchemas {
    static let claim = PersonClaim.members.flatMap(\.fields)

    static let submittedFields = names + claim + contacts
    private static let names: [Field] = [
        may("firstName", name, "First name. Needed with lastName, unless ssn is there."),
        may("lastName", name, "Last name. Needed with firstName, unless ssn is there."),
    ]
    private static let contacts: [Field] = [
        may(
            "emailAddresses", Schema.list(of: line).with("maxItems", .integer(10)),
            "E-mail addresses; only the first one counts."),
        may(
            "addresses",
            Schema.list(of: address(line, others: true).called("GivenAddress")).with("maxItems", .integer(10)),
            "Postal addresses; only the first one counts."),
    ]
    static let submitted = Schema.record(submittedFields, others: true).requiring(
        ["firstName", "lastName"], unless: ["ssn", "last4SSN"]
    ).called("GivenIndividual")
    private static let name = TextRule.name.schema
    private static let line = TextRule.line.schema

    static let individual = Schema.record([
        must("firstName", .text(), "First name on record."), must("lastName", .text(), "Last name on record."),
        may("dob", .text(pattern: #"^\d{4}-\d\d-\d\d$"#), "Birth date, YYYY-MM-DD. Absent if it is not known."),
        may("ssn", .text(pattern: #"^\d{9}$"#), "SSN, nine digits. Absent if it is not known."),
        may("emailAddresses", .list(of: .text()), "E-mail addresses on record. Absent if there are none."),
        may(
            "addresses", .list(of: address(.text(), others: false).called("Address")),
            "Postal addresses on record. Absent if there are none."),
    ])

    private static func address(_ text: Schema, others: Bool) -> Schema {
        .record(
            [
                may("address", text, "House number and street."),
                may("extendedAddress", text, "A further line, such as the apartment."),
                may("city", text, "City or town."), may("region", text, "State or province, such as LA."),
                may("postalCode", text, "Five digits or ZIP+4."),
            ], others: others)
    }
}
