internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /l/{linkToken}`: who asks, and the two buttons. Changes nothing, so that link previews, scanners and HEAD do no
/// harm (OTP-15).
struct ShowLink: Sendable {
    let look: LinkSurface.Look

    /// - Throws: `.overloaded`, `.internalFault`.
    func respond(to request: Request) async throws(LinkError) -> LinkView {
        do throws(EngineFault) {
            return try await look(request.parameters[LinkRequest.token] ?? "", request.noteSession)
        } catch {
            throw LinkError(error)
        }
    }
}
