internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/otp` and `.../link`: the first code or link goes out.
///
///     {"phoneNumber":"+12065550100","requestId":"r-1"}  ->  200, the state
///
/// `phoneNumber` only where the state says `phone.needed`.
struct SendFirst: Sendable {
    let calls: ClientCalls
    let kind: Session.MessageKind

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (fields, retry) = try calls.fields(of: request, known: ["phoneNumber"], isOptional: true)
        let phoneNumber: String?
        // What is wrong with a number has an error of its own, which the engine gives.
        do throws(FieldDefect) { phoneNumber = try fields.text("phoneNumber", .any) } catch {
            throw ClientError(error)
        }
        var number: SessionOperations.NamedNumber?
        if let phoneNumber { number = try await calls.number(phoneNumber, caller) }
        return try await calls.send(kind, .first(number), request, caller, retry)
    }
}
