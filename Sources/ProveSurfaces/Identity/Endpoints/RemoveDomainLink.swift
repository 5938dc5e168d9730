internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/domain/unlink`: ends a link, declines a request or withdraws one; either side may. `pcidFrom` is the
/// requesting side; a side that is left out is the caller.
///
///     {"pcidFrom":"0193..."}  ->  200 {"success":true}
struct RemoveDomainLink: PlatformEndpoint {
    struct Link: Sendable {
        var from: DomainID?
        var to: DomainID?
    }

    let domains: Domains

    static let call = Call(
        .post, "/v3/domain/unlink", id: "removeDomainLink", "End a link",
        "Or decline a request, or take one back; either side may. The side that is left out is the caller.",
        body: .json(#"{"pcidTo":"019b7907-8d58-7500-8000-000000000001"}"#))
    static let refusals: [PlatformError] = [.notFound(what: "link")]
    static let body = Shape(
        Link(), refine: { $0.requiring(["pcidTo"], unless: ["pcidFrom"]) },
        check: { (link) throws(FieldDefect) in
            if link.from == nil, link.to == nil { throw .missing("pcidFrom") }
        }
    ) {
        Member.optional("pcidFrom", .identifier(DomainID.self), "The domain that asked for it.") { $0.from = $1 }
        Member.optional("pcidTo", .identifier(DomainID.self), "The domain that was asked.") { $0.to = $1 }
    }
    static let isAudited = true
    static let reply = Reply.done

    func respond(to link: Link, of request: Request, from tenant: Tenant) async throws(PlatformRefusal) -> Nothing {
        try await domains.removeLink(from: link.from, to: link.to, for: tenant)
        return Nothing()
    }
}
