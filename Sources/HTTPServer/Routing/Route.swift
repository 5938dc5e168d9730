/// One method on one path pattern, and what answers it.
package final class Route: Sendable {
    /// What answers a request.
    enum Handler: Sendable {
        /// Runs in a task of its own, on the loop of the connection.
        case task(@Sendable (Request) async -> Response)
        /// Runs where the request was read.
        case immediate(@Sendable (Request) -> Response)
    }

    package let method: Method
    /// Segments are literal or `{name}`: `/sandbox/sessions/{correlationId}/complete`.
    package let pattern: String
    /// What may come as a body, and who says no to it.
    package let body: BodyRule
    /// Answered also on a connection beyond the limit of connections: what operators and balancers look at.
    let isAlwaysAnswered: Bool
    let handler: Handler

    private init(
        _ method: Method, _ pattern: String, _ body: BodyRule?, isAlwaysAnswered: Bool = false, _ handler: Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.body = body ?? (method.usuallyHasBody ? BodyRule() : .ignored)
        self.isAlwaysAnswered = isAlwaysAnswered
        self.handler = handler
    }

    /// - Parameter body: without one, POST, PUT and PATCH take what the server takes, and other methods ignore a body.
    package convenience init(
        _ method: Method, _ pattern: String, body: BodyRule? = nil,
        respond: @escaping @Sendable (Request) async -> Response
    ) {
        self.init(method, pattern, body, .task(respond))
    }

    /// A route whose answer lies ready: no task is made for it. It waits for nothing, does no more than some
    /// microseconds of work, for which every connection of the loop stands still, and has no stream.
    package static func immediate(
        _ method: Method, _ pattern: String, respond: @escaping @Sendable (Request) -> Response
    ) -> Route {
        Route(method, pattern, nil, .immediate(respond))
    }

    /// The same route, answered also when the server has as many connections as it may (`Limits.reservedConnections`).
    package var always: Route {
        Route(method, pattern, body, isAlwaysAnswered: true, handler)
    }

    func respond(_ request: Request) async -> Response {
        switch handler {
        case .task(let respond): await respond(request)
        case .immediate(let respond): respond(request)
        }
    }
}
