internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/domain/confirm-link`: agrees to the request of another tenant. From then on, each sees the active
/// identities that both have, and the requesting tenant also sees the attributes of the scopes. Agreeing twice is not
/// an error.
///
///     {"pcid":"0193...","scopes":["loyaltyTier"]}  ->  200 {"success":true}
///
/// The vendor's SDKs send only `pcid`; that agrees to the first request, unless one was withdrawn since
/// (`LinkConsent`).
struct ConfirmDomainLink: PlatformEndpoint {
    let domains: Domains

    static let call = Call(
        .post, "/v3/domain/confirm-link", id: "confirmDomainLink", "Agree to a link",
        """
        From then on each side sees the active identities of numbers that both have enrolled, and the one who asked sees \
        what the scopes name. With scopes, the caller agrees to the request with exactly these, in any order. Without, it \
        agrees to the first request that waits; if a request was taken back since the caller last decided, scopes must be \
        named (8001). Without scopes nothing is added to a link that stands. Agreeing twice is no error.
        """,
        body: .json(#"{"pcid":"019b7907-8d58-7500-8000-000000000001"}"#))
    static let refusals: [PlatformError] = [.notFound(what: "link request")]
    static let body = OfferedLink.body
    static let isAudited = true
    static let reply = Reply.done

    func respond(
        to link: OfferedLink, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> Nothing {
        try await domains.acceptLink(from: link.domain, scopes: link.scopes, for: tenant)
        return Nothing()
    }
}
