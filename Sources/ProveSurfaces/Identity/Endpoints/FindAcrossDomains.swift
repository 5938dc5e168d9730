internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/identity/{identityId}/cross-domain`: the identities of the same number at linked tenants, as far as they are
/// active.
///
///     ->  200 {"count":1,"identities":[{"clientName":"Acme","identityId":"0193...","proveId":"0193...","pcid":"0193..."}]}
struct FindAcrossDomains: Sendable {
    let domains: Domains

    /// - Throws: `.body`, `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.optional.reader(of: request)
        do throws(FieldDefect) {
            _ = try fields.text("clientRequestId", .reference)
        } catch {
            throw .field(error)
        }
        let id = try QueryReader(request).identity("identityId")
        let found: [LinkedIdentity]
        do throws(PlatformRefusal) { found = try await domains.linkedIdentities(id, for: tenant) } catch {
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("count", found.count)
        object.set("identities", found.map(Self.object))
        return .json(200, object)
    }

    private static func object(_ identity: LinkedIdentity) -> JSONObject {
        var object = JSONObject()
        object.set("clientName", identity.domain.name)
        object.set("identityId", identity.id.text)
        object.set("proveId", identity.id.text)
        object.set("pcid", identity.domain.id.text)
        return object
    }
}
