/// One method on one path pattern, and its handler.
package final class Route: Sendable {
    enum Handler: Sendable {
        /// Runs in its own task, on the loop of the connection.
        case task(@Sendable (Request) async -> Response)
        /// Runs directly after the request was read, without a task.
        case immediate(@Sendable (Request) -> Response)
    }

    package typealias Permit = @Sendable (Response, Headers) -> Response

    package let method: Method
    /// Segments are literal or `{name}`: `/sandbox/sessions/{correlationId}/complete`.
    package let pattern: String
    /// The body that is accepted, and the check that refuses it.
    package let body: BodyRule
    /// Answered even on a connection beyond the limit of connections: for operators and load balancers.
    let isAlwaysAnswered: Bool
    /// Answered under any host name: probes use the name of the operator's network.
    let isProbe: Bool
    /// The work asked of the server; decides which requests are refused first under overload.
    let demand: Demand
    /// A call with many items: it runs beside the loops.
    let isLong: Bool
    /// Adapts the server's overload answer to the surface: its format, and permission for a page of another origin to
    /// read it.
    package let permit: Permit?
    let handler: Handler
    /// Whether the request may be refused or delayed under overload. A prebuilt answer costs less than a refusal.
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
    ///   - body: `nil`: POST, PUT and PATCH accept up to the server's limit, and other methods ignore a body.
    ///   - demand: `nil`: `.changes` for POST, PUT and PATCH, `.reads` for other methods.
    ///   - isLong: a call with many items. It runs beside the loops, so `respond` must not wait for a change of a
    ///     session.
    ///   - permit: see the property.
    package convenience init(
        _ method: Method, _ pattern: String, body: BodyRule? = nil, demand: Demand? = nil, isLong: Bool = false,
        permit: Permit? = nil, respond: @escaping @Sendable (Request) async -> Response
    ) {
        self.init(method, pattern, body, demand, isLong: isLong, permit: permit, .task(respond))
    }

    /// A route without a task, for prebuilt answers. The handler must not wait, must take only some microseconds
    /// because it blocks every connection of the loop, and cannot stream.
    package static func immediate(
        _ method: Method, _ pattern: String, respond: @escaping @Sendable (Request) -> Response
    ) -> Route {
        Route(method, pattern, nil, .reads, .immediate(respond))
    }

    /// The same route, answered even when the server has reached its limit of connections
    /// (`Limits.reservedConnections`) or has more requests than it can answer in time.
    package var always: Route {
        Route(method, pattern, body, demand, isLong: isLong, isAlwaysAnswered: true, permit: permit, handler)
    }

    /// The same as `always`, and also answered under any host name.
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
