internal import HTTPServer
internal import SurfaceKit

/// `GET /openapi/session.json`: the description of the calls of a session, in the form of `GET /openapi.json`.
struct ReadSessionDescription: OperationsEndpoint {
    let answers: DescriptionAnswers

    static let call = Call(
        .get, "/openapi/session.json", id: "readSessionDescription", "The description of a session's calls",
        """
        Those of /openapi.json that a session takes, from the access token to the outcome, for a small generated \
        client. It has no second paths of a call, and no preflights.
        """)
    static let isForOperators = true
    static let parameters = DescriptionAnswers.parameters
    static let reply = ResponseReply<Response>(
        DescriptionAnswers.answers("The document.", .json(DescriptionAnswers.openAPI)))

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(OperationsError) -> Response {
        await answers.document(to: request)
    }
}
