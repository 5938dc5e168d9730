internal import HTTPServer
internal import Possession
internal import StrictJSON

/// `POST /initialize`: a browser or phone starts a run for itself.
///
///     {"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}
///     ->  200 {"authToken":"eyJ...","flowToken":"x3Jv..."} and the flow token as a cookie
struct InitializeFlow: Sendable {
    let service: AppService
    let cookie: FlowCookie

    /// - Throws: `.platform`.
    func respond(to request: Request) async throws(AppError) -> Response {
        let fields: FieldReader
        do throws(PlatformError) { fields = try PlatformBody.reader(of: request) } catch { throw .platform(error) }
        let order: PlatformService.SessionOrder
        do throws(FieldDefect) { order = try fields.prefillOrder() } catch { throw .platform(.field(error)) }
        let started: AppService.Started
        do throws(PlatformRefusal) { started = try await service.initialize(order) } catch { throw AppError(error) }
        var object = JSONObject()
        object.set("authToken", started.authToken)
        object.set("flowToken", started.flowToken)
        var response = Response.json(200, object)
        response.add("Set-Cookie", cookie.field(started.flowToken, for: request))
        return response
    }
}
