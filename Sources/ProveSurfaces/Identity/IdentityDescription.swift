internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Verification, Identity Manager and domains in the API description.
enum IdentityDescription {
    static let operations: [Operation] =
        [
            verify, verifyBatch, enrol("/v3/identity"), enrol("/v3/identity/"), enrolBatch, list("/v3/identity"),
            list("/v3/identity/"), lookUp, read, remove,
            setActive(true), setActive(false), acrossDomains,
        ] + DomainDescription.operations

    /// What every call with an access token may answer.
    private static let common: [PlatformError] = [
        .field(.missing("phoneNumber")), .unauthorized(wasSent: false),
        .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
        .internalFault(""),
    ]
    private static func bodyErrors(_ bound: BodyBound) -> [PlatformError] {
        [.body(.empty), .body(.mediaType(expected: RequestBody.json))]
            + (bound.bytes == nil ? [] : [.body(.tooLarge(bound))])
    }

    static func operation(
        _ id: String, _ method: Method, _ path: String, _ summary: String, _ detail: String,
        parameters: [Parameter] = [], body: Content? = nil, isBodyRequired: Bool = true, answer: Schema,
        errors: [PlatformError] = [], bound: BodyBound = .session
    ) -> Operation {
        Operation(
            id: id, method: method, path: path, surface: .platform, summary: summary, detail: detail,
            caller: .accessToken, parameters: parameters, body: body, isBodyRequired: isBodyRequired,
            answers: [Answer(status: 200, about: "Done.", content: .json(answer))],
            errors: (errors + common + (body == nil ? [] : bodyErrors(bound))).map(\.response),
            bound: body == nil ? nil : bound)
    }

    // MARK: Members

    static let reference = Schema.text(most: TextRule.reference.maxCharacters, pattern: plain).orNull
    /// No control characters.
    static let plain = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"
    private static let phoneNumber = Input<String>.phoneNumber.schema
    static let requestID = may("clientRequestId", reference, "The caller's own name of the call.")
    static let requestIDParameter = Parameter.query(
        may(
            "clientRequestId", .text(most: TextRule.reference.maxCharacters, pattern: plain),
            "The caller's own name of the call."))
    static let done = Schema.record([must("success", .flag)])
    static let optionalBody = Content.json(.record([requestID], others: true), #"{"clientRequestId":"r-1"}"#)

    private static let customerID = may("clientCustomerId", reference, "The caller's own name of the customer.")
    private static let humanID = may("clientHumanId", reference, "The caller's own name of the person.")
    private static let attributes = may(
        "identityAttributes",
        .list(
            of: .record(
                [
                    must(
                        "attributeType", .text(least: 1, most: Identity.Limit.attributeNameCharacters, pattern: plain),
                        "Its name: what discover and fetch call attributeId."),
                    must(
                        "attributeValue",
                        .text(least: 1, most: Identity.Limit.attributeValueCharacters, pattern: plain)),
                ], others: true)
        ).with("maxItems", .integer(Int64(Identity.Limit.attributes))).orNull,
        "What the caller says of the person. One of a name that the identity has replaces it; at most 20 in all.")

    // MARK: Verification

    private static let name = Schema.text(most: Person.Limit.nameCharacters, pattern: plain).orNull
    private static let email = Schema.text(
        most: TextRule.emailAddress.maxCharacters, pattern: "^[A-Za-z0-9@.+_-]*$"
    ).orNull
    private static let address = Schema.text(most: TextRule.ipAddress.maxCharacters, pattern: "^[A-Za-z0-9.:]*$").orNull

    private static let itemFields = [
        may("phoneNumber", phoneNumber.orNull, "The number; it may be left out beside proveId."),
        must("verificationType", .choice(VerificationType.self), "What is asked; bot is humanAssurance."),
        may("firstName", name, "For verifiedUser and accountOpening it must be there."),
        may("lastName", name, "As firstName."),
        may("emailAddress", email, "Of the person."), may("ipAddress", address, "Of the person's device."),
        may(
            "userAgent", .text(most: TextRule.userAgent.maxCharacters, pattern: plain).orNull, "Of the person's device."
        ),
        requestID, customerID, humanID, attributes,
        may(
            "proveId", Schema.givenIdentifier.orNull,
            "An identity of the caller; with phoneNumber, it must be that one's."),
    ]

    private static let item = Schema.record(itemFields, others: true).needingNames

    private static let verify = operation(
        "verifyPerson", .post, "/v3/verify", "Verify a person",
        """
        humanAssurance passes where somebody is known by the number and its standing is good. verifiedUser and \
        accountOpening pass where that person has the names that are given; case and repeated spaces do not count. \
        prefill and identityResolution pass where somebody is known, compare names where there are any, and alone answer \
        the person's data, never after a mismatch. prefillForBiz finds nothing: there is no source of businesses. Test \
        users with a verify script end as it says. Whoever passes is enrolled in Identity Manager with the names and \
        attributes of the call. There is no provePhoneAlias.
        """,
        body: .json(
            item,
            """
            {"phoneNumber":"2001004053","verificationType":"verifiedUser","firstName":"Elena","lastName":"Coldman",\
            "clientRequestId":"r-1"}
            """),
        answer: .record([
            must("success", .choice(["true", "false"]), "A text, not a flag."),
            may("message", .text(), "Of prefillForBiz: that there is no source of businesses."),
            must("correlationId", .identifier, "Names this call."), must("phoneNumber", .text(), "As sent."),
            may("proveId", .identifier, "The number, as the caller's own; on success."),
            may("clientRequestId", .text(), "As sent, as the next two."), may("clientCustomerId", .text()),
            may("clientHumanId", .text()), must("identity", .named("VerifiedIdentity")),
            may("isEnrolled", .flag, "On success."), may("evaluation", .named("VerificationEvaluation")),
        ]),
        errors: [.numberNotServed, .otherProduct, .numberStopped, .sourceUnavailable], bound: .person)

    private static let verifyBatch = operation(
        "verifyPeople", .post, "/v3/verify/batch", "Verify up to 1,000 people",
        """
        Answered in the order of the items. An item that cannot be read has its error and is "false"; the rest go on. The \
        body may be as large as the server takes any.
        """,
        body: .json(
            .record(
                [
                    must("items", items(item, most: VerificationService.maxBatch)),
                    requestID,
                ],
                others: true),
            """
            {"items":[{"phoneNumber":"2001004053","verificationType":"verifiedUser","firstName":"Elena",\
            "lastName":"Coldman","clientCustomerId":"c-1"}]}
            """),
        answer: .record([
            must("correlationId", .identifier, "Names this call."), may("clientRequestId", .text(), "As sent."),
            must(
                "results",
                .list(
                    of: .record([
                        must("success", .choice(["true", "false"]), "A text, not a flag."),
                        must("assuranceLevel", .choice(Assurance.Level.texts)),
                        must("phoneNumber", .text(), "As sent; empty when there was none."),
                        must("clientCustomerId", .text(), "As sent; empty when there was none."),
                        may("clientHumanId", .text(), "As sent."),
                        may("proveId", .identifier), may("identity", .named("VerifiedIdentity")),
                        may("evaluation", .named("VerificationEvaluation")),
                        may("error", .text(), "Why the item was not looked at."),
                    ]))),
        ]),
        errors: [.sourceUnavailable], bound: .batch)

    private static func items(_ item: Schema, most: Int) -> Schema {
        let other = Schema.anything.with("description", "What cannot be read has its error.")
        return Schema.list(of: .any(of: [item, other])).with("minItems", 1).with("maxItems", .integer(Int64(most)))
    }

    // MARK: Identity Manager

    private static let identityFields = [
        customerID, humanID, requestID,
        may("deviceId", Schema.givenIdentifier.orNull, "The person's device key."), attributes,
    ]
    private static let ids = [
        must("proveId", .identifier, "The number, as the caller's own."),
        must("identityId", .identifier, "The same, for SDKs of before April 2026."),
    ]

    private static func enrol(_ path: String) -> Operation {
        let isAlias = path.hasSuffix("/")
        var operation = operation(
            isAlias ? "enrolIdentityAlias" : "enrolIdentity", .post, path,
            isAlias ? "Enrol an identity, path with a slash" : "Enrol an identity",
            """
            Repeating it changes nothing but what it brings. A number that was proven before keeps its proveId; one that \
            was removed gets a new one.
            """,
            body: .json(
                .record([must("phoneNumber", phoneNumber)] + identityFields, others: true),
                #"{"phoneNumber":"2001004014","clientCustomerId":"c-1"}"#),
            answer: .record(ids + [must("success", .flag)]), errors: [.numberNotServed, .otherProduct],
            bound: .person)
        operation.original = isAlias ? "enrolIdentity" : nil
        return operation
    }

    private static let batchItem = Schema.record(
        [
            may("phoneNumber", phoneNumber.orNull, "Or identityId."),
            may(
                "identityId", Schema.givenIdentifier.orNull,
                "An identity of a linked domain: its number is enrolled here as well."),
            may("pcid", Schema.givenIdentifier.orNull, "Whose identity; without it, the caller's own."),
            may("clientName", .text(), "Ignored."),
            customerID, humanID, may("deviceId", Schema.givenIdentifier.orNull), attributes,
        ], others: true)
    private static let enrolBatch = operation(
        "enrolIdentities", .post, "/v3/identity/batch", "Enrol up to 100 identities",
        "Answered in the order of the items. What cannot be enrolled has its error; the rest are enrolled as one step.",
        body: .json(
            Schema.record(
                [
                    may("items", items(batchItem, most: Identity.Limit.batch).orNull),
                    may("identities", items(batchItem, most: Identity.Limit.batch).orNull, "Another name of items."),
                    requestID,
                ], others: true
            ).with("if", ["not": ["required": ["items"]]]).with("then", ["required": ["identities"]]),
            #"{"items":[{"phoneNumber":"2001004014"},{"phoneNumber":"1"}]}"#),
        answer: .record([
            must(
                "results",
                .list(
                    of: .record([
                        may("proveId", .identifier), may("identityId", .identifier),
                        may("error", .text(), "Why it was not enrolled."),
                    ])))
        ]), bound: .batch)

    private static func list(_ path: String) -> Operation {
        let isAlias = path.hasSuffix("/")
        var operation = operation(
            isAlias ? "listIdentitiesAlias" : "listIdentities", .get, path,
            isAlias ? "List identities, path with a slash" : "List identities",
            "Oldest first. lastKey is there when there is more: as startKey it asks for the next page.",
            parameters: [
                .query(may("limit", .integer(1...Identity.Limit.page), "100 unless it is given.")),
                .query(
                    may(
                        "startKey", .givenIdentifier.orEmpty, "The lastKey of the page before.")),
                .query(may("showInactive", .flag, "Inactive ones as well.")), requestIDParameter,
            ],
            answer: .record([must("results", .list(of: .record(ids))), may("lastKey", .identifier)]))
        operation.original = isAlias ? "listIdentities" : nil
        return operation
    }

    private static let lookUp = operation(
        "lookUpIdentity", .get, "/v3/identity/{mobileNumber}/lookup", "Find the identity of a number",
        "Active or not; there is at most one. Without one, items is left out.",
        parameters: [.path("mobileNumber", phoneNumber, "A + may stand as it is, or as %2B."), requestIDParameter],
        answer: .record([may("items", .list(of: .named("Identity")))]), errors: [.numberNotServed, .otherProduct])

    private static let holderID = Parameter.path(
        "proveId", .givenIdentifier, "Of an identity of the caller; else 404, 8010.")

    private static let read = operation(
        "readIdentity", .get, "/v3/identity/{proveId}", "Read an identity", "Active or not.",
        parameters: [holderID, requestIDParameter], answer: .named("Identity"), errors: [.notFound(what: "identity")])

    private static let remove = operation(
        "removeIdentity", .delete, "/v3/identity/{proveId}", "Remove an identity",
        """
        Erases all that the client keeps of the number, enrolled or only proven: the identity with its attributes, device \
        keys and sessions. Open sessions end, and no device key proves the number any more. Proven or enrolled again, the \
        number gets a new proveId. What limits count by number over all clients stays until its time is over.
        """,
        parameters: [holderID, requestIDParameter],
        answer: .record([
            must("success", .flag),
            must(
                "erased",
                .record([
                    must("identities", .integer(1...Int.max)), must("deviceKeys", .integer(0...Int.max)),
                    must("sessions", .integer(0...Int.max)),
                ]), "What was erased, by kind."),
        ]),
        errors: [.notFound(what: "identity")])

    private static func setActive(_ isActive: Bool) -> Operation {
        let verb = isActive ? "activate" : "deactivate"
        return operation(
            "\(verb)Identity", .post, "/v3/identity/{proveId}/\(verb)",
            "\(isActive ? "Activate" : "Deactivate") an identity",
            "Lists leave inactive ones out, and linked domains do not see them. What is so already is no error.",
            parameters: [holderID], body: optionalBody, isBodyRequired: false, answer: done,
            errors: [.notFound(what: "identity")])
    }

    private static let acrossDomains = operation(
        "findAcrossDomains", .post, "/v3/identity/{identityId}/cross-domain", "Find an identity at linked domains",
        "The active identities of the same number at the domains that the caller's is linked with.",
        parameters: [.path("identityId", .givenIdentifier, "The caller's own; else 404, 8010.")], body: optionalBody,
        isBodyRequired: false,
        answer: .record([
            must("count", .integer(0...Int.max)),
            must(
                "identities",
                .list(
                    of: .record([
                        must("clientName", .text(), "Of the domain."),
                        must("identityId", .identifier, "As that domain has it."),
                        must("proveId", .identifier, "The same."), must("pcid", .identifier, "The domain."),
                    ]))),
        ]),
        errors: [.notFound(what: "identity")])
}

extension Schema {
    /// The item of a verification, with the two names that some types of it need.
    fileprivate var needingNames: Schema {
        let types = VerificationType.allCases.filter(\.needsNames).map { JSONValue.string($0.rawValue) }
        let name: JSONObject = ["type": "string", "minLength": 1]
        return with(
            "if",
            [
                "required": ["verificationType"],
                "properties": ["verificationType": ["type": "string", "enum": .array(types)]],
            ]
        ).with(
            "then",
            [
                "required": ["firstName", "lastName"],
                "properties": ["firstName": .object(name), "lastName": .object(name)],
            ])
    }
}
