internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/verify`: whether a number belongs to the person that the backend names. A person who passes is enrolled.
///
///     {"phoneNumber":"2001004053","verificationType":"verifiedUser","firstName":"Elena","lastName":"Coldman"}
///     ->  200 {"success":"true","correlationId":"0193...","phoneNumber":"2001004053","proveId":"0193...",
///              "identity":{"assuranceLevel":"AL1","reasons":["AL1b"]},"isEnrolled":true, ...}
///
/// `VerificationFinding` has the rules. There is no `provePhoneAlias`: `proveId` is the tenant's name for a number.
struct VerifyPerson: PlatformEndpoint {
    struct Verified: Sendable {
        let id: CorrelationID
        let order: VerificationService.Order
        let verification: VerificationService.Verification
    }

    let service: VerificationService

    static let call = Call(
        .post, "/v3/verify", id: "verifyPerson", "Verify a person",
        """
        humanAssurance passes where a person is known by the number and its standing is good. verifiedUser and \
        accountOpening pass where that person has the names that are given; case and repeated spaces do not count. \
        prefill and identityResolution pass where a person is known, compare names where there are any, and alone answer \
        the person's data, never after a mismatch. prefillForBiz finds nothing: there is no source of businesses. Test \
        users with a verify script end as it says. A person who passes is enrolled in Identity Manager with the names and \
        attributes of the call. There is no provePhoneAlias.
        """,
        body: .json(
            """
            {"phoneNumber":"2001004053","verificationType":"verifiedUser","firstName":"Elena","lastName":"Coldman",\
            "clientRequestId":"r-1"}
            """, upTo: .person),
        demand: .begins)
    static let refusals: [PlatformError] = [.numberNotServed, .otherProduct, .numberStopped, .sourceUnavailable]

    /// All members in the order of the documentation (Prove 7.1). Also the shape of an item of a batch.
    static let body = Shape(
        VerificationService.Order(.human), name: "VerifyPersonBody", refine: needingNames,
        check: { (order) throws(FieldDefect) in try check(order) }
    ) {
        Member.optional("phoneNumber", .phoneNumber, "The number; it may be left out beside proveId.") {
            $0.phoneNumber = $1
        }
        Member.required(
            "verificationType", .choice(VerificationType.allCases), "The question; bot is humanAssurance."
        ) { $0.question = $1.question }
        Member.optional("firstName", .text(.name), "For verifiedUser and accountOpening it must be there.") {
            $0.names.firstName = $1
        }
        Member.optional("lastName", .text(.name), "The same rule holds as for firstName.") { $0.names.lastName = $1 }
        Member.ignored("emailAddress", .emailAddress, "The e-mail address of the person.")
        Member.ignored("ipAddress", .ipAddress, "The IP address of the person's device.")
        Member.ignored("userAgent", .text(.userAgent), "The browser of the person's device.")
        Member.optional("clientRequestId", .reference, "The caller's own name of the call.") {
            $0.references.clientRequestID = $1
        }
        Member.optional("clientCustomerId", .reference, "The caller's own name of the customer.") {
            $0.references.clientCustomerID = $1
        }
        Member.optional("clientHumanId", .reference, "The caller's own name of the person.") {
            $0.references.clientHumanID = $1
        }
        Member.optional("identityAttributes", .attributes, IdentityManager.Order.aboutAttributes) {
            $0.attributes = $1
        }
        Member.optional(
            "proveId", .identifier(HolderID.self), "An identity of the caller; with phoneNumber, it must be that one's."
        ) { $0.holderID = $1 }
    }

    static let reply = Reply<Verified> {
        ReplyMember.always("success", .flagText, "The text \"true\" or \"false\", no JSON flag.") {
            $0.verification.finding.passes
        }
        ReplyMember.whenThere("message", .text, "Of prefillForBiz: that there is no source of businesses.") {
            $0.order.question == .business ? noBusinesses : nil
        }
        ReplyMember.always("correlationId", .identifier(), "Names this call.") { $0.id }
        ReplyMember.always("phoneNumber", .text, "The value that was sent.") { $0.verification.number.asSent }
        ReplyMember.whenThere("proveId", .identifier(), "The number, as the caller's own; on success.") {
            $0.verification.holderID
        }
        ReplyMember.whenThere("clientRequestId", .text, "The value that was sent.") {
            $0.order.references.clientRequestID
        }
        ReplyMember.whenThere("clientCustomerId", .text, "The value that was sent.") {
            $0.order.references.clientCustomerID
        }
        ReplyMember.whenThere("clientHumanId", .text, "The value that was sent.") { $0.order.references.clientHumanID }
        ReplyMember.always(
            "identity", .object(VerificationReplies.identity),
            "The assurance; with prefill and identityResolution also the person's data."
        ) { $0.verification.finding }
        ReplyMember.whenThere("isEnrolled", .flag, "There on success.") { $0.verification.holderID.map { _ in true } }
        ReplyMember.whenThere(
            "evaluation", .object(VerificationReplies.evaluation), VerificationReplies.aboutEvaluation
        ) {
            $0.verification.finding.evaluated
        }
    }

    /// Tells callers that this type never returns the businesses that it asks for.
    private static let noBusinesses = "prefillForBiz finds no businesses: this server has no source of them"

    func respond(
        to order: VerificationService.Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> Verified {
        let id = try service.freshCorrelationID()
        return Verified(id: id, order: order, verification: try await service.verify(order, for: tenant))
    }

    private static func check(_ order: VerificationService.Order) throws(FieldDefect) {
        if order.question == .names {
            if order.names.firstName == nil { throw .missing("firstName") }
            if order.names.lastName == nil { throw .missing("lastName") }
        }
        if order.phoneNumber == nil, order.holderID == nil { throw .missing("phoneNumber") }
    }

    /// The schema with the two names that some types require.
    private static func needingNames(_ schema: Schema) -> Schema {
        let types = VerificationType.allCases.filter { $0.question == .names }.map { JSONValue.string($0.rawValue) }
        let name: JSONObject = ["type": "string", "minLength": 1, "description": .string(Schema.aboutFilled)]
        let type: JSONObject = [
            "type": "string", "enum": .array(types), "description": "The types that compare names.",
        ]
        return schema.with(
            "if",
            [
                "required": ["verificationType"],
                "properties": ["verificationType": .object(type)],
            ]
        ).with(
            "then",
            [
                "required": ["firstName", "lastName"],
                "properties": ["firstName": .object(name), "lastName": .object(name)],
            ])
    }
}
