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
    let onHead: (@Sendable (Request) -> Response?)?
    let handler: Handler

    private init(
        _ method: Method, _ pattern: String, onHead: (@Sendable (Request) -> Response?)?, _ handler: Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.onHead = onHead
        self.handler = handler
    }

    /// - Parameter onHead: may answer from the head alone (401 ...). It is asked, with an empty body, when the client
    /// waits with
    ///   `Expect: 100-continue`, so that a final status that is known already goes out instead of 100 (HTTP-18).
    package convenience init(
        _ method: Method, _ pattern: String, onHead: (@Sendable (Request) -> Response?)? = nil,
        respond: @escaping @Sendable (Request) async -> Response
    ) {
        self.init(method, pattern, onHead: onHead, .task(respond))
    }

    /// A route whose answer lies ready: no task is made for it. It waits for nothing, does no more than some
    /// microseconds of work, for which every connection of the loop stands still, and has no stream.
    package static func immediate(
        _ method: Method, _ pattern: String, respond: @escaping @Sendable (Request) -> Response
    ) -> Route {
        Route(method, pattern, onHead: nil, .immediate(respond))
    }

    func respond(_ request: Request) async -> Response {
        switch handler {
        case .task(let respond): await respond(request)
        case .immediate(let respond): respond(request)
        }
    }
}
