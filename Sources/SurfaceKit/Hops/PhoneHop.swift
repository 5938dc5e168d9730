package import HTTPServer
package import Engine
package import Possession

/// A hop of a chain of redirects that a phone follows over its cellular connection. It needs no credentials.
package protocol PhoneHop: Endpoint where Caller == Nothing, Failure == Refusal, Refusal: PhoneHopError {
    var service: MobileAuthService { get }
    /// The session of a call, if its parameters identify it.
    func session(of body: Body) -> SessionKey?
}

/// The errors of a surface with hops.
package protocol PhoneHopError: SurfaceError {
    static func rateLimited(_ hit: LimitHit) -> Self
}

/// Makes the routes of a surface's hops.
package struct PhoneHops<Refusal: PhoneHopError>: Sendable {
    private let callers: CallerGate?
    private let report: @Sendable (String) -> Void
    private let render: @Sendable (Refusal, Request) -> Response

    /// - Parameters:
    ///   - callers: the limits and rates that these calls share with other surfaces.
    ///   - report: takes a line for the log.
    ///   - render: makes the response to an error.
    package init(
        callers: CallerGate?, report: @escaping @Sendable (String) -> Void,
        render: @escaping @Sendable (Refusal, Request) -> Response = { error, _ in error.response }
    ) {
        self.callers = callers
        self.report = report
        self.render = render
    }

    package func routes<E: PhoneHop>(_ hop: E) -> [Route] where E.Refusal == Refusal {
        let routes = SurfaceRoute<E>(report: report, render: render).routes { [callers] request, form throws(Refusal) in
            let order = try form.read(request)
            do throws(LimitHit) {
                try callers?.admit(request)
                try await callers?.admit(hop.session(of: order), in: hop.service.fence, request)
            } catch { throw .rateLimited(error) }
            return form.reply.response(try await hop.respond(to: order, of: request, from: Nothing()))
        }
        guard E.call.method == .get else { return routes }
        return routes + [Route.immediate(.head, E.call.path, respond: { _ in Self.notForHead })]
    }

    /// Following a hop uses it up; a HEAD request must not do that.
    private static var notForHead: Response {
        var response = failureResponse(.methodNotAllowed(.head, allow: [.get]))
        response.add("Allow", "GET")
        return response
    }
}

extension Response {
    /// Redirects to the next URL of a chain. URLs of hops are credentials.
    package static func hop(_ status: Int, to url: String) -> Response {
        Response(status: status, headers: [("Location", url), ("Referrer-Policy", "no-referrer")])
    }

    /// The answer at the end of a chain, with the headers for a URL that is a credential.
    package var asHopEnd: Response {
        var response = self
        response.add("Referrer-Policy", "no-referrer")
        return response
    }
}
