import HTTPServer
import SurfaceKit

/// The document of another vendor's format, and the check of answers against it.
struct VendorDescription: Sendable {
    let document: APIDocument
    let answers: DocumentAnswers

    init(_ surface: SurfaceDescription, _ info: APIDocument.Info) {
        document = APIDocument(
            info, version: World.version, publicURL: World.publicURL, surfaces: [surface], example: { _ in nil })
        answers = DocumentAnswers(document.object)
    }

    /// Checks the answer of a call that is described. The document leaves out calls that the surface does not offer.
    @Sendable func checkDescribed(_ response: Response, to request: Request) {
        guard let pattern = request.routePattern, answers.operation(request.method, pattern) != nil else { return }
        answers.check(response, to: request)
    }
}
