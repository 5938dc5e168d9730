internal import HTTPServer
internal import SurfaceKit

/// `GET /openapi.json`: the description of every surface (OpenAPI 3.1).
///
///     ->  200 with ETag; 304 if the caller has that version (RFC 9110 section 13.1.2)
struct ReadDescription: OperationsEndpoint {
    let answers: DescriptionAnswers

    static let call = Call(
        .get, "/openapi.json", id: "readDescription", "This description",
        "OpenAPI 3.1; schemas are JSON Schema 2020-12.")
    static let isForOperators = true
    static let parameters = DescriptionAnswers.parameters
    static let reply = ResponseReply<Response>(
        DescriptionAnswers.answers(
            "The document.", .json(DescriptionAnswers.openAPI)))

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(OperationsError) -> Response {
        await answers.document(to: request)
    }
}
