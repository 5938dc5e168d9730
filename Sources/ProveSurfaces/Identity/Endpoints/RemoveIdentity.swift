internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `DELETE /v3/identity/{proveId}`: the tenant manages the number no longer, enrolled or only proven, and nothing of it is
/// kept: no device key proves it any more, its sessions are gone, also the open ones (DAT-10). Enrolled again, it gets a
/// new `proveId`.
///
///     ->  200 {"success":true,"erased":{"identities":1,"deviceKeys":1,"sessions":2}}
struct RemoveIdentity: Sendable {
    let manager: IdentityManager
    let erasure: Erasure

    /// - Throws: `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let query = QueryReader(request)
        do throws(FieldDefect) { try query.checkRequestID() } catch { throw .field(error) }
        let id = try query.identity("proveId")
        do throws(PlatformRefusal) {
            let erased = try await manager.erase(id, by: erasure, for: tenant)
            var object = JSONObject()
            object.set("success", true)
            object.set("erased", Self.counts(erased))
            return .json(200, object)
        } catch {
            throw PlatformError(error)
        }
    }

    /// The kinds that a tenant has. Messages are left out: only the sandbox keeps any.
    private static func counts(_ erased: ErasedData) -> JSONObject {
        var object = JSONObject()
        object.set("identities", erased.identities)
        object.set("deviceKeys", erased.deviceKeys)
        object.set("sessions", erased.sessions)
        return object
    }
}
