internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/verify/batch`: up to 1,000 verifications at once, answered in order. An item that cannot be read gets an
/// `error` and `"false"`; the others are not affected.
///
///     {"items":[{"phoneNumber":"2001004053","verificationType":"verifiedUser","firstName":"Elena", ...}]}
///     ->  200 {"correlationId":"0193...","results":[{"success":"true","assuranceLevel":"AL1","clientCustomerId":"", ...}]}
struct VerifyPeople: PlatformEndpoint {
    struct Order: Sendable {
        var requestID: String?
        var items: [BatchItem<VerificationService.Order>] = []
    }

    struct Verified: Sendable {
        let id: CorrelationID
        let requestID: String?
        let results: [VerificationItem]
    }

    let service: VerificationService

    static let call = Call(
        .post, "/v3/verify/batch", id: "verifyPeople", "Verify up to 1,000 people",
        """
        Answered in the order of the items. An item that cannot be read has its error and is "false"; the rest go on. The \
        body may be as large as the server takes any.
        """,
        body: .json(
            """
            {"items":[{"phoneNumber":"2001004053","verificationType":"verifiedUser","firstName":"Elena",\
            "lastName":"Coldman","clientCustomerId":"c-1"}]}
            """, upTo: .batch),
        demand: .begins)
    static let refusals: [PlatformError] = [.sourceUnavailable]
    static let body = Shape(Order()) {
        Member.optional("clientRequestId", .reference, "The caller's own name of the call.") { $0.requestID = $1 }
        Member.required(
            "items", .batch(of: VerifyPerson.body, most: VerificationService.maxBatch),
            "Verifications, each with the members of POST /v3/verify."
        ) { $0.items = $1 }
    }
    static let reply = Reply<Verified> {
        ReplyMember.always("correlationId", .identifier(), "Names this call.") { $0.id }
        ReplyMember.whenThere("clientRequestId", .text, "The value that was sent.") { $0.requestID }
        ReplyMember.always(
            "results", .list(of: .object(VerificationItem.reply)), "One for each item, in the same order."
        ) { $0.results }
    }

    /// If it throws, nothing was enrolled.
    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> Verified {
        let id = try service.freshCorrelationID()
        let results = try await service.verify(all: order.items.map(\.order), for: tenant)
        return Verified(
            id: id, requestID: order.requestID,
            results: zip(order.items, results).map { VerificationItem(item: $0, result: $1) })
    }
}
