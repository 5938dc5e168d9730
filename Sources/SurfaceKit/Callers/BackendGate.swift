package import HTTPServer

/// Authenticates the backends of a surface, by any kind of credential: an access token, an API key, Basic, header
/// fields.
///
///     BackendGate(
///         checkHead: { request throws(ToyError) in _ = try Key(request) },
///         admit: { request throws(ToyError) in try await logins.caller(byKey: try Key(request).text, request) },
///         report: engine.reports.log)
package struct BackendGate<Caller: Sendable, Refusal: SurfaceError>: Sendable {
    let checkHead: @Sendable (Request) throws(Refusal) -> Void
    let admit: @Sendable (Request) async throws(Refusal) -> Caller
    let render: @Sendable (Refusal, Request) -> Response
    let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - checkHead: checks the head, before the body has arrived.
    ///   - admit: returns the caller, and counts the call against the caller's rate.
    ///   - render: makes the response to an error.
    ///   - report: takes a line for the log.
    package init(
        checkHead: @escaping @Sendable (Request) throws(Refusal) -> Void,
        admit: @escaping @Sendable (Request) async throws(Refusal) -> Caller,
        render: @escaping @Sendable (Refusal, Request) -> Response = { error, _ in error.response },
        report: @escaping @Sendable (String) -> Void
    ) {
        self.checkHead = checkHead
        self.admit = admit
        self.render = render
        self.report = report
    }

    /// Authenticates the caller of a request that matches no endpoint.
    package func caller(of request: Request) async throws(Refusal) -> Caller { try await admit(request) }

    /// The routes of an endpoint, one for each path. Only admitted calls reach it. A call without credentials, or with
    /// a body that is too large or of another type, is refused before the body has arrived.
    package func routes<E: Endpoint>(_ endpoint: E) -> [Route]
    where E.Caller == Caller, E.Failure == Refusal, E.Refusal == Refusal {
        SurfaceRoute<E>(
            report: report, render: render,
            checkHead: { [checkHead] request throws(Refusal) in
                try checkHead(request)
                try SurfaceRoute<E>.checkBody(request)
            }
        ).routes { [admit] request, form throws(Refusal) in
            try await endpoint.answer(request, from: try await admit(request), form)
        }
    }
}
