internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/identity/{identityId}/cross-domain`: the active identities of the same number at linked tenants.
///
///     ->  200 {"count":1,"identities":[{"clientName":"Acme","identityId":"0193...","proveId":"0193...","pcid":"0193..."}]}
struct FindAcrossDomains: PlatformEndpoint {
    let domains: Domains

    static let call = Call(
        .post, "/v3/identity/{identityId}/cross-domain", id: "findAcrossDomains",
        "Find an identity at linked domains",
        "The active identities of the same number at the domains that the caller's is linked with.",
        body: .optionalJSON(#"{"clientRequestId":"r-1"}"#))
    static let body = ActivateIdentity.body
    static let parameters = Parameters<HolderID, PlatformError> {
        ParameterMember.identity("identityId", "The caller's own; else 404, 8010.")
    }
    static let reply = Reply<[LinkedIdentity]> {
        ReplyMember.always("count", .integer(0...Int.max), "The length of identities.") { $0.count }
        ReplyMember.always(
            "identities", .list(of: .object(identity)), "One for each domain that has an active identity of the number."
        ) { $0 }
    }

    private static let identity = Reply<LinkedIdentity>(name: "LinkedIdentity") {
        ReplyMember.always("clientName", .text, "The name of the domain.") { $0.domain.name }
        ReplyMember.always("identityId", .identifier(), "That domain's own id of the person.") { $0.id }
        ReplyMember.always("proveId", .identifier(), "The same value as identityId.") { $0.id }
        ReplyMember.always("pcid", .identifier(), "The domain.") { $0.domain.id }
    }

    func respond(
        to id: HolderID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> [LinkedIdentity] {
        try await domains.linkedIdentities(id, for: tenant)
    }
}
