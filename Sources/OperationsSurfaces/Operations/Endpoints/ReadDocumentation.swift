internal import HTTPServer
internal import SurfaceKit

/// `GET /docs`: the description of every surface as a page.
///
///     ->  200 with ETag; 304 to whoever has that version (RFC 9110 section 13.1.2)
struct ReadDocumentation: OperationsEndpoint {
    let answers: DescriptionAnswers

    static let call = Call(
        .get, "/docs", id: "readDocumentation", "This description as a page",
        "For people; made from the same document.")
    static let isForOperators = true
    static let parameters = DescriptionAnswers.parameters
    static let reply = ResponseReply<Response>(DescriptionAnswers.answers("The page.", .page))

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(OperationsError) -> Response {
        await answers.page(to: request)
    }
}
