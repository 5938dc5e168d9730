internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/device/revoke`: a device key is no longer good. Revoking it twice is no error.
///
///     {"deviceId":"0193...","clientRequestId":"r-1"}  ->  200 {"success":true}
struct RevokeDevice: Sendable {
    let service: PlatformService

    /// - Throws: `.body`, `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request)
        let id: DeviceID
        do throws(FieldDefect) {
            _ = try fields.requiredText("deviceId", .any)
            guard let given = try fields.identifier("deviceId", DeviceID.self) else { throw .missing("deviceId") }
            id = given
            _ = try fields.text("clientRequestId", .reference)
        } catch {
            throw .field(error)
        }
        do throws(PlatformRefusal) { try await service.revokeDevice(id, for: tenant.id) } catch {
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("success", true)
        return .json(200, object)
    }
}
