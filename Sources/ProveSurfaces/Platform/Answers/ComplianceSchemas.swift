internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The API description of the compliance add-on's answer (Prove 6.4).
enum ComplianceSchemas {
    static let aboutIDV =
        "Comparison of the person's data with two data sources (compliance add-on). Absent if the record has none."
    static let aboutKYC =
        "Hits in lists against money laundering (compliance add-on). Absent if the record has none."

    static let idv = Schema.record([
        must("multiCIPConfidence", .text(), "The confidence over both sources, such as HIGH or LOW."),
        may("dataSource1", dataSource, "The answer of the first source. Absent if it says nothing."),
        may("dataSource2", dataSource, "The answer of the second source. Absent if it says nothing."),
    ]).called("ComplianceIDV")

    static let kyc = Schema.record([
        must("totalHits", hits, "The number of hits in all lists."),
        may("amlTypeLists", .list(of: amlType), "There when there are hits."),
    ]).called("ComplianceKYC")

    private static let hits = Schema.integer(0...KYCFindings.Limit.hits)
    private static let score = Schema.integer(0...IdentityVerification.maxFigure)
    private static let distance = Schema([
        "type": "number", "minimum": 0, "maximum": .integer(Int64(IdentityVerification.maxFigure)),
    ])

    private static let dataSource = Schema.record([
        may("cipConfidence", .text(), "The confidence of this source, such as HIGH or LOW."),
        may("reasonCodes", .list(of: .text()), "The source's own codes for its answer. Absent if it gives none."),
        may("address", address, "How the postal address agrees."),
        may("email", email, "How the e-mail address agrees."),
        may("identifiers", identifiers, "How birth date and SSN agree."),
        may("name", name, "How the names agree."),
    ]).called("ComplianceSource")

    private static let email = Schema.record([
        may("emailAddress", .flag, "Whether the source has the same e-mail address.")
    ]).called("MatchedEmail")
    private static let identifiers = Schema.record([
        may("dob", .flag, "Whether the source has the same birth date."),
        may("last4", .flag, "Whether the source has the same last four digits of the SSN."),
        may("ssn", .flag, "Whether the source has the same whole SSN."),
    ]).called("MatchedIdentifiers")
    private static let name = Schema.record([
        may("firstName", score, "The source's score of the first name."),
        may("lastName", score, "The source's score of the last name."),
        may("nameScore", score, "The source's score of the whole name."),
    ]).called("MatchedName")

    private static let address = Schema.record([
        may("addressScore", score, "The source's score of the whole address."),
        may("distance", distance, "How far apart the two addresses are, in the source's own unit."),
        may("streetNumber", score, "The source's score of the house number."),
        may("street", .flag, "Whether the source has the same street."),
        may("city", .flag, "Whether the source has the same city."),
        may("region", .flag, "Whether the source has the same state."),
        may("postalCode", .flag, "Whether the source has the same postal code."),
    ]).called("MatchedAddress")

    private static let amlType = Schema.record([
        must("amlType", .text(), "The kind of list, such as SANCTION, PEP or ADVERSE_MEDIA."),
        must("listHits", hits, "The number of hits in lists of this kind."),
        may("fields", .list(of: amlField), "Fields of the list's entries, in the words of the list."),
    ]).called("AMLList")
    private static let amlField = Schema.record([
        must("name", .text(), "Name of the field."),
        may("source", .text(), "The list that has the entry. Absent if the data does not say it."),
        must("value", .text(), "Content of the field."),
    ]).called("AMLField")
}
