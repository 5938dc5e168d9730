internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v3/fetch`: the values of one attribute of an identity, one for each issuer.
///
///     ?proveId=0193...&attributeId=loyaltyTier
///     ->  200 {"results":[{"attributeId":"loyaltyTier","attributeValue":"gold","issuerId":"0193..."}]}
struct FetchAttribute: PlatformEndpoint {
    struct Order: Sendable {
        var id = HolderID(high: 0, low: 0)
        var attributeName = ""
    }

    let domains: Domains

    static let call = Call(
        .get, "/v3/fetch", id: "fetchAttribute", "Read an attribute", "One result for each domain that says it.")
    static let refusals: [PlatformError] = [.notFound(what: "attribute")]
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PlatformError> {
        ParameterMember.requiredQuery("proveId", .identifier(HolderID.self), "It names an identity of the caller.") {
            $0.id = $1
        }
        ParameterMember.requiredQuery(
            "attributeId", .filledText(.attributeName), "The attribute, as discover names it."
        ) {
            $0.attributeName = $1
        }
        ParameterMember.requestID
    }
    static let reply = Reply<[IssuedAttribute]> {
        ReplyMember.always("results", .list(of: .object(attribute)), "One for each issuer.") { $0 }
    }

    private static let attribute = Reply<IssuedAttribute>(name: "FetchedAttribute") {
        ReplyMember.attributeID
        ReplyMember.always("attributeValue", .text, "The value that this issuer gave.") { $0.attribute.value }
        ReplyMember.issuerID
    }

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> [IssuedAttribute] {
        try await domains.attributes(order.id, named: order.attributeName, for: tenant)
    }
}
