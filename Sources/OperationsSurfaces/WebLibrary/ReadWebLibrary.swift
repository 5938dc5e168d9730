internal import HTTPServer
internal import SurfaceKit

/// `GET /sdk/{file}`: the current version of a file of the web library, for pages of any origin.
///
///     ->  200 with ETag, in gzip if accepted; 304 if the caller has that version (RFC 9110 section 13.1.2)
struct ReadWebLibrary: OperationsEndpoint, ImmediateEndpoint {
    let library: WebLibrary

    static let call = Call(
        .get, "/sdk/{file}", id: "readWebLibrary", "The web library",
        "An ES module, a plain script and type declarations, in gzip where Accept-Encoding allows it. Each may be kept for five minutes."
    )
    static let parameters = Parameters<Nothing, OperationsError> {
        file
        ifNoneMatch
    }
    static let reply = ResponseReply<Response>(answers)
    static let refusals: [OperationsError] = [.noSuchFile]

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) throws(OperationsError) -> Response {
        guard let answer = library.answer(request.parameters["file"] ?? "", nil, to: request) else {
            throw .noSuchFile
        }
        return answer
    }

    // Parts of the description that both endpoints share.

    static let file = ParameterMember<Nothing, OperationsError>.path(
        "file", .anyText.described(as: .choice(["holdfast.js", "holdfast.global.js", "holdfast.d.ts"])),
        "ES module, plain script, type declarations."
    ) { _, _ in }
    static let ifNoneMatch = ParameterMember<Nothing, OperationsError>.header(
        "If-None-Match", .text(), "The ETag of the version that is there.")

    static var answers: [Answer] {
        let headers = ["ETag", "Cache-Control", "Vary"]
        var file = Answer(
            status: 200, about: "The file.", content: Content(type: "text/javascript", schema: .text()),
            headers: headers)
        file.otherContents = [Content(type: "text/plain", schema: .text())]
        return [
            file,
            Answer(status: 304, about: "The version in If-None-Match is the newest.", headers: headers),
        ]
    }
}
