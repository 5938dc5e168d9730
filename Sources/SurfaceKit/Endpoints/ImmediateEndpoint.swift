package import HTTPServer

/// An endpoint whose answer lies ready, so that no task is made for a call of it (`Route.immediate`).
package protocol ImmediateEndpoint: Endpoint where Failure == Refusal {
    func respond(to body: Body, of request: Request, from caller: Caller) throws(Failure) -> Answered
}

extension ImmediateEndpoint {
    /// The response to one call of somebody who may call.
    package func answerNow(
        _ request: Request, from caller: Caller, _ form: EndpointForm<Self>
    ) throws(Refusal) -> Response {
        form.reply.response(try respond(to: try form.read(request), of: request, from: caller))
    }
}
