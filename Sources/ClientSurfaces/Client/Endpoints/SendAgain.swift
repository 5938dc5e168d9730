internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/otp/resend` and `.../link/resend`: a new code or link to the same number; the old one is
/// void.
///
///     {"requestId":"r-2"}  ->  200, the state
struct SendAgain: Sendable {
    let calls: ClientCalls
    let kind: Session.MessageKind

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (_, retry) = try calls.fields(of: request, known: [], isOptional: true)
        return try await calls.send(kind, .again, request, caller, retry)
    }
}
