internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Lists the API clients, sorted by id.
struct ListClients: ReadingOrder {
    static let call = OrderCall(.get, "/control/clients", Self.init)
    static let reply = Reply.list("clients", of: listed)

    /// An API client with its rules.
    static let listed = Reply<Tenant>(.anything) { tenant in
        var object: JSONObject = ["id": .string(tenant.id.text)]
        object.set("createdAt", tenant.createdAt.rfc3339)
        object.set("revokedAt", tenant.revokedAt.map(\.rfc3339))
        object.set("oldSecretUntil", tenant.otherSecretUntil.map(\.rfc3339))
        for member in TenantMember.object(tenant.rules).members { object[member.name] = member.value }
        return object
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> [Tenant] {
        try await administrator.clients()
    }
}
