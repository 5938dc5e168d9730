internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /v3/identity/{proveId}`: one identity of the tenant, active or not.
///
///     ->  200 {"phoneNumber":"+12001004031","proveId":"0193...","active":true,"createdAt":1767261600, ...}
struct ReadIdentity: Sendable {
    let manager: IdentityManager

    /// - Throws: `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let query = QueryReader(request)
        do throws(FieldDefect) { try query.checkRequestID() } catch { throw .field(error) }
        let id = try query.identity("proveId")
        do throws(PlatformRefusal) {
            return .json(200, IdentityView.object(try await manager.identity(id, for: tenant)))
        } catch {
            throw PlatformError(error)
        }
    }
}
