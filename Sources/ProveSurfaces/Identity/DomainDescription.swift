internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Domains, and what links between them show, in the API description.
enum DomainDescription {
    static let operations = [domain, linked, link, confirm, unlink, discover, fetch]

    private static let domain = IdentityDescription.operation(
        "readDomain", .get, "/v3/domain/id", "Read the caller's own domain",
        "What the API client is called towards others; it never changes. issuerId is the same.",
        answer: .record([
            must("pcid", .identifier), must("name", .text(), "The client's display name, else its client id."),
            must("issuerId", .identifier, "Of attributes that the client says."),
        ]))

    private static func links(_ verb: String) -> Schema {
        .list(
            of: .record([
                must("name", .text()), must("pcid", .identifier), may("scopes", .list(of: .text())),
                must("\(verb)At", .integer(0...Int.max), "Seconds since 1970."), must("\(verb)String", .moment),
            ]))
    }

    private static let linked = IdentityDescription.operation(
        "listDomainLinks", .get, "/v3/domain/linked", "List links and requests",
        "From: another domain asked. To: the caller did. A list without entries is left out.",
        answer: .record([
            may("linkedFrom", links("accepted")), may("linkedTo", links("accepted")),
            may("requestsFrom", links("requested"), "Waiting for the caller to confirm."),
            may("requestsTo", links("requested"), "Waiting for the other side."),
        ]))

    private static let pcid = must(
        "pcid", .givenIdentifier, "The other domain; one that is not known answers 404, 8010.")
    private static let example: StaticString = #"{"pcid":"019b7907-8d58-7500-8000-000000000001"}"#

    private static let scopes = may(
        "scopes",
        Schema.list(
            of: .text(
                least: 1, most: DomainLink.Limit.scopeCharacters, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$")
        ).with("maxItems", .integer(Int64(DomainLink.Limit.scopes))).orNull)

    private static let link = IdentityDescription.operation(
        "requestDomainLink", .post, "/v3/domain/link", "Ask for a link",
        """
        Nothing is shared before the other side confirms. A scope names what the caller wants to see of the other side: an \
        attributeType shows the attributes of exactly that name in discover and fetch; phoneNumber lets the caller enrol \
        identities of the other side whose numbers it does not know. Without scopes, or with others, each side sees only \
        which active identities both have. Asked again with other scopes, both requests wait, each for its own consent, at \
        most 5; a link that stands keeps its scopes (8003). At most 100 links and requests of one client.
        """,
        body: .json(
            .record(
                [
                    pcid, scopes,
                ], others: true),
            #"{"pcid":"019b7907-8d58-7500-8000-000000000001","scopes":["loyaltyTier"]}"#),
        answer: IdentityDescription.done, errors: [.stepNotAllowed, .notFound(what: "domain")])

    private static let confirm = IdentityDescription.operation(
        "confirmDomainLink", .post, "/v3/domain/confirm-link", "Agree to a link",
        """
        From then on each side sees the active identities of numbers that both have enrolled, and the one who asked sees \
        what the scopes name. With scopes, the caller agrees to the request with exactly these, in any order. Without, it \
        agrees to the first request that waits; if a request was taken back since the caller last decided, scopes must be \
        named (8001). Without scopes nothing is added to a link that stands. Agreeing twice is no error.
        """,
        body: .json(.record([pcid, scopes], others: true), example), answer: IdentityDescription.done,
        errors: [.notFound(what: "link request")])

    private static let unlink = IdentityDescription.operation(
        "removeDomainLink", .post, "/v3/domain/unlink", "End a link",
        "Or decline a request, or take one back; either side may. The side that is left out is the caller.",
        body: .json(
            Schema.record(
                [
                    may("pcidFrom", Schema.givenIdentifier.orNull, "Who asked for it."),
                    may("pcidTo", Schema.givenIdentifier.orNull, "Who was asked."),
                ], others: true
            ).requiring(["pcidTo"], unless: ["pcidFrom"]),
            #"{"pcidTo":"019b7907-8d58-7500-8000-000000000001"}"#),
        answer: IdentityDescription.done, errors: [.notFound(what: "link")])

    private static let holderID = Parameter.query(must("proveId", .givenIdentifier, "Of an identity of the caller."))
    private static let attribute = [
        must("attributeId", .text(), "The attributeType under which it came."),
        must("issuerId", .identifier, "Who says it."),
    ]

    private static let discover = IdentityDescription.operation(
        "discoverAttributes", .get, "/v3/discover", "See which attributes there are",
        """
        Of the caller itself, and of domains that agreed to a link of the caller, if they have an active identity of the \
        same number: attributes whose names are scopes of that link.
        """,
        parameters: [holderID, IdentityDescription.requestIDParameter],
        answer: .record([must("results", .list(of: .record(attribute)))]), errors: [.notFound(what: "identity")])

    private static let fetch = IdentityDescription.operation(
        "fetchAttribute", .get, "/v3/fetch", "Read an attribute", "One result for each domain that says it.",
        parameters: [
            holderID,
            .query(
                must(
                    "attributeId",
                    .text(
                        least: 1, most: Identity.Limit.attributeNameCharacters, pattern: IdentityDescription.plain),
                    "From discover.")),
            IdentityDescription.requestIDParameter,
        ],
        answer: .record([
            must("results", .list(of: .record(attribute + [must("attributeValue", .text())])))
        ]),
        errors: [.notFound(what: "attribute")])
}
