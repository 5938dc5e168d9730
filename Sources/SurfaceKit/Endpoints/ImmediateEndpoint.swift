package import HTTPServer

/// An endpoint whose answer is ready, so that no task is needed (`Route.immediate`).
package protocol ImmediateEndpoint: Endpoint where Failure == Refusal {
    func respond(to body: Body, of request: Request, from caller: Caller) throws(Failure) -> Answered
}
