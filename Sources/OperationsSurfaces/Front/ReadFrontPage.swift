internal import HTTPServer
internal import SurfaceKit

/// `GET /`: a page about this server for browsers; a program gets 404.
///
///     Accept: text/html  ->  200, the page
struct ReadFrontPage: OperationsEndpoint, ImmediateEndpoint {
    let page: FrontPage
    let policy: PagePolicy
    /// Whether the page links to the description.
    let hasDocs: Bool

    static let call = Call(
        .get, "/", id: "readFrontPage", "What this server is",
        "A page for people, where Accept prefers text/html; programs get 404. Unknown paths and wrong methods "
            + "are answered with a page in the same way.")
    static let refusals: [OperationsError] = [.nothingHere(hasDocs: true)]
    static let reply = ResponseReply<Response>([Answer(status: 200, about: "The page.", content: .page)])

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) throws(OperationsError) -> Response {
        guard AcceptedForm.isPage(request.headers) else { throw .nothingHere(hasDocs: hasDocs) }
        return policy.response(200, page.document)
    }
}
