internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /otpless/v2/state?appId=sandbox`: an app starts and gets its state.
///
///     ->  200 {"state":"q1w2..."}
struct ReadState: HeadlessEndpoint {
    let gate: HeadlessGate

    static let call = Call(
        .get, OtplessPath.base + "/v2/state", id: "ReadState", "Start an app",
        """
        The state belongs into the path of every other call of the app, and is good as long as its API client. Only API \
        clients that have an order of channels (smartChannels) have apps. Nothing is stored.
        """, answer: "The state.")
    static let body = Shape(String?.none)
    static let parameters = Parameters<String?, OtplessError> {
        ParameterMember.optionalQuery("appId", .anyText, "The API client's id.") { $0 = $1 }
    }
    static let reply = Reply<String>(example: #"{"state":"AAAAAAAAAAAAAAAAAAAAAQ"}"#) {
        ReplyMember.always("state", .text, "Of the app, from now on.") { $0 }
    }

    func respond(
        to id: String?, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> String {
        let tenant = try await gate.tenant(id, of: request)
        let random: [UInt8]
        do throws(EntropyFault) { random = try gate.engine.crypto.randomBytes(AppState.randomBytes) } catch {
            throw OtplessError(EngineFault(error))
        }
        return AppState(for: tenant.id, random: random).text(gate.engine.crypto.keyed)
    }
}
