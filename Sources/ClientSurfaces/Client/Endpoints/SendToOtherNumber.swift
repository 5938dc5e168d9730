internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/otp/phone` and `.../link/phone`: another number, and a code or link to it.
///
///     {"phoneNumber":"+12065550100","requestId":"r-3"}  ->  200, the state
struct SendToOtherNumber: Sendable {
    let calls: ClientCalls
    let kind: Session.MessageKind

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.refused(.phoneNumberRequired)`, `.invalidToken`,
    ///   `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (fields, retry) = try calls.fields(of: request, known: ["phoneNumber"])
        let phoneNumber: String?
        do throws(FieldDefect) { phoneNumber = try fields.text("phoneNumber", .any) } catch {
            throw ClientError(error)
        }
        guard let phoneNumber else { throw .refused(.phoneNumberRequired) }
        let number = try await calls.number(phoneNumber, caller)
        return try await calls.send(kind, .toNumber(number), request, caller, retry)
    }
}
