internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/domain/link`: requests a link with another tenant. Nothing is shared before that tenant has agreed.
///
///     {"pcid":"0193...","scopes":["kyc"]}  ->  200 {"success":true}
///
/// A call with other scopes is a further request, pending together with the first; an existing link keeps its scopes
/// (403, 8003).
struct RequestDomainLink: PlatformEndpoint {
    let domains: Domains

    static let call = Call(
        .post, "/v3/domain/link", id: "requestDomainLink", "Ask for a link",
        """
        Nothing is shared before the other side confirms. A scope names what the caller wants to see of the other side: an \
        attributeType shows the attributes of exactly that name in discover and fetch; phoneNumber lets the caller enrol \
        identities of the other side whose numbers it does not know. Without scopes, or with others, each side sees only \
        which active identities both have. Asked again with other scopes, both requests wait, each for its own consent, at \
        most 5; a link that stands keeps its scopes (8003). At most 100 links and requests of one client.
        """,
        body: .json(#"{"pcid":"019b7907-8d58-7500-8000-000000000001","scopes":["loyaltyTier"]}"#))
    static let refusals: [PlatformError] = [.stepNotAllowed, .notFound(what: "domain")]
    static let body = OfferedLink.body
    static let isAudited = true
    static let reply = Reply.done

    func respond(
        to link: OfferedLink, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> Nothing {
        try await domains.requestLink(to: link.domain, scopes: link.scopes ?? [], for: tenant)
        return Nothing()
    }
}
