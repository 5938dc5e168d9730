internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/unify`: an app's backend starts a session.
///
///     {"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"r-1"}
///     ->  200 {"correlationId":"0193...","success":"pending","authToken":"eyJ..."}
struct StartUnify: Sendable {
    let service: PlatformService

    /// - Throws: `.body`, `.field`, `.numberNotServed`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request)
        let order: PlatformService.SessionOrder
        do throws(FieldDefect) { order = try Self.order(fields) } catch { throw .field(error) }
        let started: PlatformService.StartedSession
        do throws(PlatformRefusal) { started = try await service.start(order, for: tenant) } catch {
            throw PlatformError(error)
        }
        request.note(started.correlationID)
        var object = JSONObject()
        object.set("correlationId", started.correlationID.text)
        object.set("success", "pending")
        object.set("authToken", started.authToken)
        return .json(200, object)
    }

    /// Every member in the order of the documentation (Prove 5.1).
    private static func order(_ fields: FieldReader) throws(FieldDefect) -> PlatformService.SessionOrder {
        var order = PlatformService.SessionOrder(
            .unify, flow: try fields.requiredChoice("possessionType", SessionRequest.Flow.allCases))
        order.references.clientRequestID = try fields.text("clientRequestId", .reference)
        order.phoneNumber = try fields.text("phoneNumber", .phoneNumber)
        order.proveID = try fields.identifier("proveId", ProveID.self)
        order.finalTargetURL = try fields.finalTargetURL()
        order.codeTemplate = try fields.messageTemplate()
        order.linkTemplate = order.codeTemplate
        order.allowOTPRetry = try fields.flag("allowOTPRetry") ?? false
        order.rebind = try fields.flag("rebind") ?? false
        order.deviceID = try fields.identifier("deviceId", DeviceID.self)
        order.checkReputation = try fields.flag("checkReputation") ?? false
        order.references.clientCustomerID = try fields.text("clientCustomerId", .reference)
        order.references.clientHumanID = try fields.text("clientHumanId", .reference)
        order.emailAddress = try fields.text("emailAddress", .emailAddress)
        order.ipAddress = try fields.text("ipAddress", .ipAddress)
        order.mobileAuthEnabled = try fields.flag("mobileAuthEnabled")
        return order
    }
}
