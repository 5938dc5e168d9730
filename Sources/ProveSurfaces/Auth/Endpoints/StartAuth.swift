internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v1/server/auth/start`: an app's backend starts a session, by naming authenticators instead of a flow.
///
///     {"requestId":"r-1","subjects":{"mobile":{"authenticators":{"otp":{"messageText":"Your code is ####"}}}}}
///     ->  200 {"authId":"0193...","authToken":"eyJ..."}
struct StartAuth: Sendable {
    let service: PlatformService

    /// - Throws: `.body`, `.field`, `.numberNotServed`, `.otherProduct`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request)
        let order: PlatformService.SessionOrder
        do throws(FieldDefect) { order = try Self.order(fields) } catch { throw .field(error) }
        let started: PlatformService.StartedSession
        do throws(PlatformRefusal) { started = try await service.start(order, for: tenant) } catch {
            throw PlatformError(ofAuth: error)
        }
        request.note(started.correlationID)
        var object = JSONObject()
        object.set("authId", started.authID.text)
        object.set("authToken", started.authToken)
        return .json(200, object)
    }

    private static func order(_ fields: FieldReader) throws(FieldDefect) -> PlatformService.SessionOrder {
        let requestID = try fields.text("requestId", .reference)
        // Whoever names one waits to be called, and does not ask.
        if try fields.text("callbackUrl", .any) != nil {
            try fields.refuseUnsupported("callbackUrl")
        }
        try fields.check("delivery") { (members) throws(FieldDefect) in
            try members.refuseUnsupported("push", "scan")
        }
        guard let subjects = try fields.inside("subjects", AuthSubjects.init) else { throw .missing("subjects") }
        return try subjects.order(requestID)
    }
}
