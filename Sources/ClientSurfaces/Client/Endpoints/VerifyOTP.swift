internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/otp/verify`: the person typed the code.
///
///     {"code":"1234","requestId":"r-4"}  ->  200, the state
///
/// What is no code at all (not 4 to 10 digits) costs no try.
struct VerifyOTP: Sendable {
    let calls: ClientCalls

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (fields, retry) = try calls.fields(of: request, known: ["code"])
        let code: OTP
        do throws(FieldDefect) {
            guard let given = OTP(try fields.requiredText("code", .any)) else {
                throw FieldDefect("code", "must have 4 to 10 digits")
            }
            code = given
        } catch {
            throw ClientError(error)
        }
        return try await calls.perform(caller, retry) { (operations) throws(EngineFault) in operations.verifyOTP(code) }
    }
}
