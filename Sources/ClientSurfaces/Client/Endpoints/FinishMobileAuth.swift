internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/mobile-auth/finish`: what the chain gave, or that it gave nothing.
///
///     {"attemptId":"b7w0...","vfp":"v1...."}  or  {"attemptId":"b7w0...","error":"timeout"}  ->  200, the state
struct FinishMobileAuth: Sendable {
    let calls: ClientCalls

    private static let fingerprint = TextRule.freeText(1024)
    /// In characters (contract section 8).
    private static let error = TextRule.freeText(64)

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (fields, retry) = try calls.fields(of: request, known: ["attemptId", "vfp", "error"])
        let attempt: AttemptID
        let fingerprint: String?
        do throws(FieldDefect) {
            let text = try fields.requiredText("attemptId", .any)
            guard let id = calls.engine.keyed.bytes(text).flatMap({ AttemptID($0) }) else {
                throw FieldDefect("attemptId", "must be the one that mobile-auth gave")
            }
            attempt = id
            fingerprint = try fields.text("vfp", Self.fingerprint)
            let error = try fields.text("error", Self.error)
            if fingerprint == nil, error == nil { throw FieldDefect("vfp", "is missing, and so is error") }
            if fingerprint != nil, error != nil { throw FieldDefect("error", "must not stand beside vfp") }
        } catch {
            throw ClientError(error)
        }
        return try await calls.perform(caller, retry) { (operations) throws(EngineFault) in
            operations.finishMobileAuth(attempt, fingerprint: fingerprint)
        }
    }
}
