package import HTTPServer
package import Possession
internal import StrictJSON
package import Text
package import SurfaceKit

/// The hops of a Mobile Auth chain, followed by the phone over its cellular connection (client protocol 4.7).
///
/// No token, no cookie, and no permission to read across origins, ever: the fingerprint goes to whoever followed the
/// chain and to nobody else.
package struct MobileAuthSurface: Sendable {
    private let goToOperator: GoToOperator
    private let returnFromOperator: ReturnFromOperator
    private let callers: CallerGate?
    private let engine: Engine

    /// - Parameters:
    ///   - trustedProxies: peers whose `X-Forwarded-For` tells the phone's address.
    ///   - callers: the limits and rates that these calls share with other surfaces.
    package init(engine: Engine, trustedProxies: AddressRanges, callers: CallerGate? = nil) {
        self.engine = engine
        self.callers = callers
        let service = MobileAuthService(engine)
        let address = ClientAddress(trustedProxies: trustedProxies)
        goToOperator = GoToOperator(service: service, address: address, report: engine.report)
        returnFromOperator = ReturnFromOperator(service: service, address: address, report: engine.report)
    }

    package var routes: [Route] {
        [
            Route(.get, "/ma/v1/go/{attemptId}") { [self] request in
                do throws(LimitHit) {
                    try callers?.admit(request)
                    try await callers?.admit(
                        request.parameters["attemptId"].flatMap { engine.keyed.bytes($0) }.flatMap { AttemptID($0) }
                            .map { .attempt($0) })
                } catch { return HopAnswer.limited(error) }
                return await goToOperator.respond(to: request)
            },
            Route.immediate(.head, "/ma/v1/go/{attemptId}", respond: { _ in Self.notForHead }),
            Route(.get, "/ma/v1/cb") { [self] request in
                do throws(LimitHit) {
                    try callers?.admit(request)
                    try await callers?.admit(
                        request.query("state").flatMap { engine.mobileAuthTokens.attempt(inState: $0) }
                            .map { .attempt($0) })
                } catch { return HopAnswer.limited(error) }
                return await returnFromOperator.respond(to: request)
            },
            Route.immediate(.head, "/ma/v1/cb", respond: { _ in Self.notForHead }),
        ]
    }

    /// A hop is used up by following it; whoever only asks for a head must not do that.
    private static var notForHead: Response {
        var response = failureResponse(.methodNotAllowed(allow: []))
        response.add("Allow", "GET")
        return response
    }
}

/// Answers of the hops.
enum HopAnswer {
    static let unavailable = "mobile_auth_unavailable"

    static func response(_ hop: MobileAuthService.Hop) -> Response {
        switch hop {
        case .redirect(let url): moved(302, to: url)
        case .arrived(let fingerprint, let page?):
            moved(303, to: page + (fingerprint.map { "#vfp=\($0)" } ?? "#error=\(unavailable)"))
        case .arrived(let fingerprint?, nil): json(200, ["vfp": .string(fingerprint)])
        case .arrived(nil, nil): failed(200)
        case .refused(.unknown): failed(404)
        case .refused(.otherAddress): failed(403)
        case .refused(.gone): failed(410)
        }
    }

    static func failed(_ status: Int) -> Response {
        var response = json(status, ["error": .string(unavailable)])
        response.error = unavailable
        return response
    }

    static func limited(_ hit: LimitHit) -> Response {
        var response = json(429, ["error": .string(unavailable), "message": .string(hit.message)])
        response.error = unavailable
        response.add("Retry-After", String(hit.retryAfterSeconds))
        return response
    }

    static func response(_ fault: EngineFault, _ request: Request, _ report: (String) -> Void) -> Response {
        switch fault {
        case .overloaded:
            var response = failed(503)
            response.add("Retry-After", "1")
            return response
        case .failed(let reason):
            report("request \(request.id): \(reason)")
            return failed(500)
        }
    }

    private static func json(_ status: Int, _ object: JSONObject) -> Response {
        var response = Response.json(status, object)
        response.add("Referrer-Policy", "no-referrer")
        return response
    }

    private static func moved(_ status: Int, to url: String) -> Response {
        Response(status: status, headers: [("Location", url), ("Referrer-Policy", "no-referrer")])
    }
}
