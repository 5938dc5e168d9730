internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /v3/identity/{proveId}/activate` and `/deactivate`: whether lists and linked tenants see an identity. What is so
/// already is no error; enrolling again does not change it.
///
///     ->  200 {"success":true}
struct SetIdentityActive: Sendable {
    let manager: IdentityManager
    let isActive: Bool

    /// - Throws: `.body`, `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.optional.reader(of: request)
        do throws(FieldDefect) {
            _ = try fields.text("clientRequestId", .reference)
        } catch {
            throw .field(error)
        }
        let id = try QueryReader(request).identity("proveId")
        do throws(PlatformRefusal) { try await manager.setActive(isActive, id, for: tenant) } catch {
            throw PlatformError(error)
        }
        return IdentityView.done
    }
}
