internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /otpless/silent/end?vfp=...` (or `error=...`): the last address of the chain, which ends the proof. Only the
/// phone that followed the chain knows it.
///
///     ->  200 {"status":"SUCCESS"} or {"status":"FAILED"}
struct EndSilent: SilentHop {
    let silent: OtplessSilent
    let addresses: ClientAddress
    let answer: SilentAnswer

    static let call = Call(
        .get, OtplessSilent.endPath, id: "EndSilent", "End the chain",
        "Ends the proof on the server. The phone is told whether its number is proven, and nothing else.",
        demand: .changes)
    static let body = Shape(String?.none)
    static let parameters = Parameters<String?, OtplessError> {
        ParameterMember.optionalQuery("vfp", .anyText, "What the operator's answer came to.") { $0 = $1 }
        ParameterMember.ignoredQuery("error", .anyText, "There is no answer.")
    }
    static let reply = ResponseReply<Response>([SilentAnswer.ends])

    func session(of fingerprint: String?) -> SessionKey? {
        fingerprint.flatMap { silent.attempt(of: $0) }.map { .attempt($0) }
    }

    func respond(
        to fingerprint: String?, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> Response {
        guard let fingerprint else { return answer.end(.failed, of: request) }
        let passed = try await silent.end(fingerprint, from: addresses.of(request), note: request.noteSession)
        return answer.end(passed ? .success : .failed, of: request)
    }
}
