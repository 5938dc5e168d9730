package import HTTPServer

/// Makes the routes of an endpoint, one for each path: with the check of the head, the response to errors, and the
/// additions to every answer.
///
///     SurfaceRoute<ShowLink>(report: engine.reports.log).routes { request, form throws(LinkError) in
///         try await endpoint.answer(request, from: Nothing(), form)
///     }
package struct SurfaceRoute<E: Endpoint>: Sendable {
    package typealias Refusal = E.Refusal

    private let render: @Sendable (Refusal, Request) -> Response
    private let finish: @Sendable (Response, Request) -> Response
    private let report: @Sendable (String) -> Void
    private let permit: Route.Permit?
    private let checkHead: @Sendable (Request) throws(Refusal) -> Void

    /// - Parameters:
    ///   - report: takes a line for the log.
    ///   - render: makes the response to an error.
    ///   - finish: adds to every answer, including errors.
    ///   - permit: see `Route`.
    ///   - checkHead: throws if a call fails regardless of its body; runs before the body has arrived.
    package init(
        report: @escaping @Sendable (String) -> Void,
        render: @escaping @Sendable (Refusal, Request) -> Response = { error, _ in error.response },
        finish: @escaping @Sendable (Response, Request) -> Response = { response, _ in response },
        permit: Route.Permit? = nil,
        checkHead: @escaping @Sendable (Request) throws(Refusal) -> Void = { (request) throws(Refusal) in
            try SurfaceRoute.checkBody(request)
        }
    ) {
        self.render = render
        self.finish = finish
        self.report = report
        self.permit = permit
        self.checkHead = checkHead
    }

    /// Refuses a body whose announced type is wrong or whose announced length is too large.
    package static func checkBody(_ request: Request) throws(Refusal) {
        do throws(BodyDefect) { try E.call.body.checkHead(request) } catch { throw Refusal(error) }
    }

    package func routes(
        _ answer: @escaping @Sendable (Request, EndpointForm<E>) async throws(Refusal) -> Response
    ) -> [Route] {
        let form = EndpointForm(E.self)
        let bound = form.body.bound
        // If the call has no limit of its own, the answer is the server's own 413.
        var tooLarge: (@Sendable (Request) -> Response)?
        if bound.bytes != nil { tooLarge = { [self] in refused(Refusal(BodyDefect.tooLarge(bound)), $0) } }
        let rule = BodyRule(
            maxBytes: bound.bytes,
            refusal: { [self] request in
                do throws(Refusal) {
                    try checkHead(request)
                    return nil
                } catch { return refused(error, request) }
            }, tooLarge: tooLarge)
        return E.call.paths.map { path in
            Route(
                E.call.method, path, body: rule, demand: E.call.demand, isLong: bound == .batch, permit: permit
            ) { [self] request in
                do throws(Refusal) { return finish(try await answer(request, form), request) } catch {
                    if let reason = error.report { report("request \(request.id): \(reason)") }
                    return refused(error, request)
                }
            }
        }
    }

    private func refused(_ error: Refusal, _ request: Request) -> Response {
        finish(render(error, request), request)
    }
}
