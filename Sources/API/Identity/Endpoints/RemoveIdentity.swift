internal import HTTPServer
internal import Possession

/// `DELETE /v3/identity/{proveId}`: the tenant manages the number no longer, and nothing of it is kept. Enrolled again, it
/// gets a new `proveId`.
///
///     ->  200 {"success":true}
struct RemoveIdentity: Sendable {
    let manager: IdentityManager

    /// - Throws: `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let query = QueryReader(request)
        do throws(FieldDefect) { try query.checkRequestID() } catch { throw .field(error) }
        let id = try query.identity("proveId")
        do throws(PlatformRefusal) { try await manager.remove(id, for: tenant) } catch { throw PlatformError(error) }
        return IdentityView.done
    }
}
