internal import HTTPServer
internal import SurfaceKit

/// `GET /demo`: a shop and a phone side by side, to try each check with the test users.
///
///     ->  200, the page
struct OpenDemo: SandboxEndpoint {
    let files: DemoFiles

    static let call = Call(
        .get, "/demo", id: "openDemo", "The demo",
        "A shop and a phone side by side, to play each check with test users.")
    static let reply = ResponseReply<Response>([Answer(status: 200, about: "The page.", content: .page)])

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) async throws(SandboxError) -> Response
    {
        guard let page = files.response("demo.html") else { throw .noSuchFile }
        return page
    }
}
