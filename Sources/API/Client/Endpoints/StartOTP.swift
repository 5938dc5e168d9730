internal import HTTPServer
internal import Possession

/// `POST /client/v1/session/otp`: the first code goes out.
///
///     {"phoneNumber":"+12065550100","requestId":"r-1"}  ->  200, the state
///
/// `phoneNumber` only where the state says `phone.needed`.
struct StartOTP: Sendable {
    let calls: ClientCalls

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (fields, retry) = try calls.fields(of: request, known: ["phoneNumber"], isOptional: true)
        let phoneNumber: String?
        // What is wrong with a number has an error of its own, which the engine gives.
        do throws(FieldDefect) { phoneNumber = try fields.text("phoneNumber", .any, emptyIsAbsent: true) } catch {
            throw ClientError(error)
        }
        return try await calls.perform(caller, retry) { [calls] call throws(ClientService.Fault) in
            try await calls.service.startOTP(to: phoneNumber, call)
        }
    }
}
