internal import HTTPServer
internal import SurfaceKit

/// `GET /healthz`: the process is serving.
///
///     ->  200 {"status":"ok"}
struct ReadHealth: OperationsEndpoint, ImmediateEndpoint {
    static let call = Call(
        .get, "/healthz", id: "readHealth", "The process serves", "For the restart policy of a supervisor.",
        answer: "Yes.")
    static let isProbe = true
    static let reply = ResponseReply<Response>(Reply.ok.answers(call))

    private let answer = Reply.ok.response(Nothing())

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) throws(OperationsError) -> Response {
        answer
    }
}
