internal import HTTPServer
internal import SurfaceKit

/// `GET /demo/demo.css`: its style.
struct ReadDemoStyle: SandboxEndpoint {
    let files: DemoFiles

    static let call = Call(.get, "/demo/demo.css", id: "readDemoStyle", "Style of the demo", "")
    static let reply = ResponseReply<Response>([
        Answer(status: 200, about: "The style.", content: Content(type: "text/css", schema: .text()))
    ])

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) async throws(SandboxError) -> Response
    {
        guard let style = files.response("demo.css") else { throw .noSuchFile }
        return style
    }
}
