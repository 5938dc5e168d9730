internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /initialize`: a browser or phone starts a run for itself.
///
///     {"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}
///     ->  200 {"authToken":"eyJ...","flowToken":"x3Jv..."} and the flow token as a cookie
struct InitializeFlow: Sendable {
    let service: AppService
    /// Where links of the desktop flow lead when the request does not say (`app.finalTargetUrl`).
    let finalTargetURL: FinalTargetURL?
    /// `nil` outside of the sandbox.
    let runs: OriginRuns?
    let cookie: FlowCookie
    let addresses: ClientAddress

    /// - Throws: `.platform`.
    func respond(to request: Request) async throws(AppError) -> Response {
        let fields: FieldReader
        do throws(PlatformError) { fields = try PlatformBody.reader(of: request) } catch { throw .platform(error) }
        let order: PlatformService.SessionOrder
        do throws(FieldDefect) { order = try self.order(fields) } catch { throw .platform(.field(error)) }
        let started: AppService.Started
        do throws(PlatformRefusal) {
            started = try await service.initialize(order, from: addresses.of(request))
        } catch { throw AppError(error) }
        request.note(started.correlationID)
        var object = JSONObject()
        object.set("authToken", started.authToken)
        object.set("flowToken", started.flowToken)
        runs?.note(started.flowToken, startedBy: request)
        var response = Response.json(200, object)
        response.add("Set-Cookie", cookie.field(started.flowToken, for: request))
        return response
    }

    /// The guides' pages name no final target in the desktop flow (contract section 9).
    private func order(_ fields: FieldReader) throws(FieldDefect) -> PlatformService.SessionOrder {
        var order = try fields.prefillOrder()
        guard order.flow == .desktop, order.finalTargetURL == nil else { return order }
        guard let finalTargetURL else {
            throw FieldDefect(
                "finalTargetUrl",
                "is missing; a desktop flow needs it: send it, or set app.finalTargetUrl on the server")
        }
        order.finalTargetURL = finalTargetURL
        return order
    }
}
