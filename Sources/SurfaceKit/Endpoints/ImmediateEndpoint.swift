package import HTTPServer

/// An endpoint whose answer lies ready, so that no task is made for a call of it (`Route.immediate`).
package protocol ImmediateEndpoint: Endpoint where Failure == Refusal {
    func respond(to body: Body, of request: Request, from caller: Caller) throws(Failure) -> Answered
}
