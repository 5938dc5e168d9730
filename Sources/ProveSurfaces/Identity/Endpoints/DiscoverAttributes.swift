internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v3/discover`: the attributes of an identity with their issuers: the tenant itself, and the linked tenants that
/// have an active identity of the same number.
///
///     ?proveId=0193...  ->  200 {"results":[{"attributeId":"loyaltyTier","issuerId":"0193..."}]}
///
/// `attributeId` is the `attributeType` of the attribute.
struct DiscoverAttributes: PlatformEndpoint {
    let domains: Domains

    static let call = Call(
        .get, "/v3/discover", id: "discoverAttributes", "See which attributes there are",
        """
        Of the caller itself, and of domains that agreed to a link of the caller, if they have an active identity of the \
        same number: attributes whose names are scopes of that link.
        """)
    static let refusals: [PlatformError] = [.notFound(what: "identity")]
    static let body = Shape(HolderID(high: 0, low: 0))
    static let parameters = Parameters<HolderID, PlatformError> {
        ParameterMember.requiredQuery("proveId", .identifier(HolderID.self), "It names an identity of the caller.") {
            $0 = $1
        }
        ParameterMember.requestID
    }
    static let reply = Reply<[IssuedAttribute]> {
        ReplyMember.always("results", .list(of: .object(attribute)), "One for each attribute and issuer.") { $0 }
    }

    private static let attribute = Reply<IssuedAttribute>(name: "DiscoveredAttribute") {
        ReplyMember.attributeID
        ReplyMember.issuerID
    }

    func respond(
        to id: HolderID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> [IssuedAttribute] {
        try await domains.attributes(id, for: tenant)
    }
}
