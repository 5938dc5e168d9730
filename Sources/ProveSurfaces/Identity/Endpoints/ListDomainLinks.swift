internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /v3/domain/linked`: links and waiting requests, by who asked: `From` another tenant, or this one `To` another.
///
///     ->  200 {"linkedTo":[{"name":"Acme","pcid":"0193...","scopes":["kyc"],"acceptedAt":1767261600,
///              "acceptedString":"2026-01-01T10:00:00Z"}],"requestsFrom":[{"name":"Beta","pcid":"0193...", ...}]}
struct ListDomainLinks: Sendable {
    let domains: Domains

    /// - Throws: `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let links: [DomainLink]
        do throws(PlatformRefusal) { links = try await domains.links(of: tenant) } catch { throw PlatformError(error) }
        var object = JSONObject()
        for (name, isFromOther, isAccepted) in [
            ("linkedFrom", true, true), ("linkedTo", false, true), ("requestsFrom", true, false),
            ("requestsTo", false, false),
        ] {
            let chosen = links.filter { $0.isFromOther == isFromOther && ($0.acceptedAt != nil) == isAccepted }
            object.set(name, chosen.isEmpty ? nil : chosen.map(Self.object))
        }
        return .json(200, object)
    }

    private static func object(_ link: DomainLink) -> JSONObject {
        var object = JSONObject()
        object.set("name", link.other.name)
        object.set("pcid", link.other.id.text)
        object.set("scopes", link.scopes.isEmpty ? nil : link.scopes)
        let verb = link.acceptedAt == nil ? "requested" : "accepted"
        let moment = link.acceptedAt ?? link.requestedAt
        object.set("\(verb)At", moment.seconds)
        object.set("\(verb)String", moment.rfc3339)
        return object
    }
}
