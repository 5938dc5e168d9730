/// One method on one path pattern, and what answers it.
package final class Route: Sendable {
    /// The code that answers a request.
    enum Handler: Sendable {
        /// Runs in a task of its own, on the loop of the connection.
        case task(@Sendable (Request) async -> Response)
        /// Runs where the request was read.
        case immediate(@Sendable (Request) -> Response)
    }

    package typealias Permit = @Sendable (Response, Headers) -> Response

    package let method: Method
    /// Segments are literal or `{name}`: `/sandbox/sessions/{correlationId}/complete`.
    package let pattern: String
    /// The body that may come, and the check that refuses it.
    package let body: BodyRule
    /// Answered also on a connection beyond the limit of connections: what operators and balancers look at.
    let isAlwaysAnswered: Bool
    /// Answered under any host name: probes come by the name that their operator's network has.
    let isProbe: Bool
    /// The demand on the server; decides which requests are refused first under overload.
    let demand: Demand
    /// A call about many items: it runs beside the loops.
    let isLong: Bool
    /// Turns what the server answers in the route's place under overload into what the surface answers: its shape, and
    /// permission for a page of another origin to read it.
    package let permit: Permit?
    let handler: Handler
    /// Whether it may be refused, or begin later, under overload. What lies ready costs less than to refuse it.
    let maySuffer: Bool

    private init(
        _ method: Method, _ pattern: String, _ body: BodyRule?, _ demand: Demand?, isLong: Bool = false,
        isAlwaysAnswered: Bool = false, isProbe: Bool = false, permit: Permit? = nil, _ handler: Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.body = body ?? (method.usuallyHasBody ? BodyRule() : .ignored)
        self.isAlwaysAnswered = isAlwaysAnswered
        self.isProbe = isProbe
        self.isLong = isLong
        self.demand = demand ?? (method.usuallyHasBody ? .changes : .reads)
        self.permit = permit
        self.handler = handler
        if case .immediate = handler { maySuffer = false } else { maySuffer = !isAlwaysAnswered }
    }

    /// - Parameters:
    ///   - body: without one, POST, PUT and PATCH take what the server takes, and other methods ignore a body.
    ///   - demand: without one, POST, PUT and PATCH change something, and other methods read.
    ///   - isLong: a call about many items. It runs beside the loops, so `respond` waits for no change of a session.
    ///   - permit: as the property.
    package convenience init(
        _ method: Method, _ pattern: String, body: BodyRule? = nil, demand: Demand? = nil, isLong: Bool = false,
        permit: Permit? = nil, respond: @escaping @Sendable (Request) async -> Response
    ) {
        self.init(method, pattern, body, demand, isLong: isLong, permit: permit, .task(respond))
    }

    /// A route whose answer lies ready: no task is made for it. It waits for nothing, does no more than some
    /// microseconds of work, for which every connection of the loop stands still, and has no stream.
    package static func immediate(
        _ method: Method, _ pattern: String, respond: @escaping @Sendable (Request) -> Response
    ) -> Route {
        Route(method, pattern, nil, .reads, .immediate(respond))
    }

    /// The same route, answered also when the server has as many connections as it may (`Limits.reservedConnections`),
    /// and more requests than it can answer in time.
    package var always: Route {
        Route(method, pattern, body, demand, isLong: isLong, isAlwaysAnswered: true, permit: permit, handler)
    }

    /// The same as `always`, and answered under any host name.
    package var probe: Route {
        Route(
            method, pattern, body, demand, isLong: isLong, isAlwaysAnswered: true, isProbe: true, permit: permit,
            handler)
    }

    func respond(_ request: Request) async -> Response {
        switch handler {
        case .task(let respond): await respond(request)
        case .immediate(let respond): respond(request)
        }
    }
}
