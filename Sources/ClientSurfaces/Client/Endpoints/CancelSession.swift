internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/cancel`: the client gives up. A finished session stays as it is.
///
///     {"reason":"user"}  ->  200, the state
struct CancelSession: Sendable {
    let calls: ClientCalls

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (fields, retry) = try calls.fields(of: request, known: ["reason"], isOptional: true)
        do throws(FieldDefect) { _ = try fields.text("reason", .freeText(128)) } catch {
            throw ClientError(error)
        }
        return try await calls.perform(caller, retry) { (operations) throws(EngineFault) in operations.cancel() }
    }
}
