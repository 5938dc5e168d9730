internal import HTTPServer
internal import SurfaceKit

/// `GET /sdk/{version}/{file}`: the same under a path whose content never changes.
struct ReadWebLibraryVersion: OperationsEndpoint, ImmediateEndpoint {
    let library: WebLibrary

    static let call = Call(
        .get, "/sdk/{version}/{file}", id: "readWebLibraryVersion", "One version of the web library",
        "It never changes, and may be kept for good. A server has one version, which `GET /sdk` names.")
    static let parameters = Parameters<Nothing, OperationsError> {
        ParameterMember.path(
            "version", .anyText.described(as: .text(pattern: "^[A-Za-z0-9_-]{12}$")),
            "The version that `GET /sdk` names."
        ) { _, _ in }
        ReadWebLibrary.file
        ReadWebLibrary.ifNoneMatch
    }
    static let reply = ResponseReply<Response>(ReadWebLibrary.answers)
    static let refusals: [OperationsError] = [.noSuchFile]

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) throws(OperationsError) -> Response {
        let parameters = request.parameters
        guard let answer = library.answer(parameters["file"] ?? "", parameters["version"] ?? "", to: request) else {
            throw .noSuchFile
        }
        return answer
    }
}
