internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /l/{linkToken}`: the page with the question and the two buttons. Changes nothing, so that link previews,
/// scanners and HEAD do no harm (OTP-15).
///
///     ->  200, the page with the question
struct ShowLink: LinkEndpoint {
    let look: LinkSurface.Look
    let pages: LinkPages

    static let call = Call(
        .get, LinkRequest.path, id: "showLink", "Show who asks",
        "A page with two buttons. Changes nothing, so that previews and scanners do no harm.")
    static let body = Shape("")
    static let parameters = Parameters<String, LinkError> { LinkRequest.parameter { $0 = $1 } }

    func respond(to token: String, of request: Request, from caller: Nothing) async throws(LinkError) -> Response {
        do throws(EngineFault) {
            return pages.response(to: try await look(token, request.noteSession), of: request)
        } catch {
            throw LinkError(error)
        }
    }
}
