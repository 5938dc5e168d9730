internal import HTTPServer
internal import Possession

/// `POST /client/v1/session/otp/resend`: a new code to the same number; the old one is void.
///
///     {"requestId":"r-2"}  ->  200, the state
struct ResendOTP: Sendable {
    let calls: ClientCalls

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (_, retry) = try calls.fields(of: request, known: [], isOptional: true)
        return try await calls.perform(caller, retry) { [calls] call throws(ClientService.Fault) in
            try await calls.service.resendOTP(call)
        }
    }
}
