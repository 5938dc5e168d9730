internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The answer of the compliance add-on (Prove 6.4), as the API description has it.
enum ComplianceSchemas {
    static let idv = Schema.record([
        must("multiCIPConfidence", .text(), "The confidence over both sources, such as HIGH or LOW."),
        may("dataSource1", dataSource), may("dataSource2", dataSource),
    ]).called("ComplianceIDV")

    static let kyc = Schema.record([
        must("totalHits", hits), may("amlTypeLists", .list(of: amlType), "There when there are hits."),
    ]).called("ComplianceKYC")

    private static let hits = Schema.integer(0...KYCFindings.Limit.hits)
    private static let score = Schema.integer(0...IdentityVerification.maxFigure)
    private static let distance = Schema([
        "type": "number", "minimum": 0, "maximum": .integer(Int64(IdentityVerification.maxFigure)),
    ])

    private static let dataSource = Schema.record([
        may("cipConfidence", .text()), may("reasonCodes", .list(of: .text())), may("address", address),
        may("email", .record([may("emailAddress", .flag)]).called("MatchedEmail")),
        may(
            "identifiers",
            .record([may("dob", .flag), may("last4", .flag), may("ssn", .flag)]).called("MatchedIdentifiers")),
        may(
            "name",
            .record([may("firstName", score), may("lastName", score), may("nameScore", score)])
                .called("MatchedName")),
    ]).called("ComplianceSource")

    private static let address = Schema.record([
        may("addressScore", score), may("distance", distance), may("streetNumber", score), may("street", .flag),
        may("city", .flag), may("region", .flag), may("postalCode", .flag),
    ]).called("MatchedAddress")

    private static let amlType = Schema.record([
        must("amlType", .text(), "The kind of list, such as SANCTION, PEP or ADVERSE_MEDIA."), must("listHits", hits),
        may(
            "fields",
            .list(
                of: .record([must("name", .text()), may("source", .text()), must("value", .text())])
                    .called("AMLField"))),
    ]).called("AMLList")
}
