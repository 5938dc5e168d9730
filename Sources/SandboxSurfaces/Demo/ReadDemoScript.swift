internal import HTTPServer
internal import SurfaceKit
internal import Text

/// `GET /demo/{file}`: one of its scripts.
struct ReadDemoScript: SandboxEndpoint {
    let files: DemoFiles

    static let call = Call(.get, "/demo/{file}", id: "readDemoScript", "Scripts of the demo", "ES modules.")
    static let parameters = Parameters<Nothing, SandboxError> {
        ParameterMember.path("file", .anyText.described(as: .text(least: 1)), "The file's name, such as demo.js.") {
            _, _ in
        }
    }
    static let refusals: [SandboxError] = [.noSuchFile]
    static let reply = ResponseReply<Response>([
        Answer(status: 200, about: "The script.", content: Content(type: "text/javascript", schema: .text()))
    ])

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) async throws(SandboxError) -> Response
    {
        let name = request.parameters["file"] ?? ""
        guard !name.isSame(as: "demo.html"), let script = files.response(name) else { throw .noSuchFile }
        return script
    }
}
