internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v3/domain/linked`: links and pending requests, by direction: `From` another tenant, or from this one `To`
/// another.
///
///     ->  200 {"linkedTo":[{"name":"Acme","pcid":"0193...","scopes":["kyc"],"acceptedAt":1767261600,
///              "acceptedString":"2026-01-01T10:00:00Z"}],"requestsFrom":[{"name":"Beta","pcid":"0193...", ...}]}
struct ListDomainLinks: PlatformEndpoint {
    let domains: Domains

    static let call = Call(
        .get, "/v3/domain/linked", id: "listDomainLinks", "List links and requests",
        "From: another domain asked. To: the caller did. A list without entries is left out.")
    static let reply = Reply<[DomainLink]> {
        ReplyMember.whenThere("linkedFrom", .list(of: .object(link)), "Links that another domain asked for.") {
            chosen($0, isFromOther: true)
        }
        ReplyMember.whenThere("linkedTo", .list(of: .object(link)), "Links that the caller asked for.") {
            chosen($0, isFromOther: false)
        }
        ReplyMember.whenThere("requestsFrom", .list(of: .object(ask)), "Waiting for the caller to confirm.") {
            chosen($0, isFromOther: true, isAccepted: false)
        }
        ReplyMember.whenThere("requestsTo", .list(of: .object(ask)), "Waiting for the other side.") {
            chosen($0, isFromOther: false, isAccepted: false)
        }
    }

    private static let link = entry("DomainLink", "accepted") { $0.acceptedAt ?? $0.requestedAt }
    private static let ask = entry("DomainRequest", "requested") { $0.requestedAt }

    private static func entry(
        _ name: String, _ verb: String, _ moment: @escaping @Sendable (DomainLink) -> Timestamp
    ) -> Reply<DomainLink> {
        Reply(name: name) {
            ReplyMember.always("name", .text, "The display name of the other client, else its client id.") {
                $0.other.name
            }
            ReplyMember.always("pcid", .identifier(), "The other domain.") { $0.other.id }
            ReplyMember.whenThere(
                "scopes", .list(of: .text),
                "Names of attributes that the asking side sees, or phoneNumber. Absent if it named none."
            ) { $0.scopes.unlessEmpty }
            ReplyMember.always("\(verb)At", .seconds, "Seconds since 1970.", moment)
            ReplyMember.always("\(verb)String", .moment, "The same time as \(verb)At, UTC.", moment)
        }
    }

    private static func chosen(
        _ links: [DomainLink], isFromOther: Bool, isAccepted: Bool = true
    ) -> [DomainLink]? {
        links.filter { $0.isFromOther == isFromOther && ($0.acceptedAt != nil) == isAccepted }.unlessEmpty
    }

    func respond(
        to body: Nothing, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> [DomainLink] {
        try await domains.links(of: tenant)
    }
}
