internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/start`: an app's backend starts a Pre-Fill run.
///
///     {"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}
///     ->  200 {"authToken":"eyJ...","correlationId":"0193...","next":{"v3-validate":"/v3/validate"}}
struct StartPrefill: Sendable {
    let service: PlatformService

    /// - Throws: `.body`, `.field`, `.numberNotServed`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request)
        let order: PlatformService.SessionOrder
        do throws(FieldDefect) { order = try fields.prefillOrder() } catch { throw .field(error) }
        let started: PlatformService.StartedSession
        do throws(PlatformRefusal) { started = try await service.start(order, for: tenant) } catch {
            throw PlatformError(error)
        }
        request.note(started.correlationID)
        var object = JSONObject()
        object.set("authToken", started.authToken)
        object.set("correlationId", started.correlationID.text)
        object.set("next", PrefillNextStep.validate.object)
        return .json(200, object)
    }
}
