internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/identity`: a number becomes an identity of the tenant. Repeating it changes nothing but what it brings.
///
///     {"phoneNumber":"2001004031","clientCustomerId":"c-1"}  ->  200 {"proveId":"0193...", ...,"success":true}
struct EnrolIdentity: Sendable {
    let manager: IdentityManager

    /// - Throws: `.body`, `.field`, `.numberNotServed`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.person.reader(of: request)
        let order: IdentityManager.Order
        do throws(FieldDefect) { order = try Self.order(fields) } catch { throw .field(error) }
        let id: HolderID
        do throws(PlatformRefusal) { id = try await manager.enrol(order, for: tenant) } catch {
            throw PlatformError(error)
        }
        var object = IdentityView.object(id)
        object.set("success", true)
        return .json(200, object)
    }

    private static func order(_ fields: FieldReader) throws(FieldDefect) -> IdentityManager.Order {
        var order = IdentityManager.Order(.phoneNumber(try fields.requiredText("phoneNumber", .phoneNumber)))
        order.references.clientCustomerID = try fields.text("clientCustomerId", .reference)
        order.references.clientHumanID = try fields.text("clientHumanId", .reference)
        _ = try fields.text("clientRequestId", .reference)
        order.references.deviceID = try fields.identifier("deviceId", DeviceID.self)
        order.attributes = try fields.attributes("identityAttributes")
        return order
    }
}
