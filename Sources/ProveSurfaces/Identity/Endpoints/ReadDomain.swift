internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v3/domain/id`: the tenant's ID and name for other tenants. The ID never changes, and is the issuer of the
/// tenant's attributes.
///
///     ->  200 {"pcid":"0193...","name":"Acme","issuerId":"0193..."}
struct ReadDomain: PlatformEndpoint {
    let domains: Domains

    static let call = Call(
        .get, "/v3/domain/id", id: "readDomain", "Read the caller's own domain",
        "What the API client is called towards others; it never changes. issuerId is the same.")
    static let reply = Reply<Domain> {
        ReplyMember.always("pcid", .identifier(), "Other clients name the caller by it when they ask for a link.") {
            $0.id
        }
        ReplyMember.always("name", .text, "The client's display name, else its client id.") { $0.name }
        ReplyMember.always("issuerId", .identifier(), "Of attributes that the client says.") { $0.id }
    }

    func respond(to body: Nothing, of request: Request, from tenant: Tenant) async throws(PlatformRefusal) -> Domain {
        try await domains.domain(of: tenant)
    }
}
