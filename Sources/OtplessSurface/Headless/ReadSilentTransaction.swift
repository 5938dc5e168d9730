internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /otpless/v3/lp/user/transaction/silent-auth-status/{state}`: the app asks every 200 milliseconds for the
/// operator's answer.
///
///     ->  200 {"authDetail":{"status":"FAILED",...},"quantumLeap":{"channel":"OTP","communicationMode":"WHATSAPP",...}}
struct ReadSilentTransaction: HeadlessEndpoint {
    struct Found: Sendable {
        let standing: SilentStanding
        let state: String
    }

    let gate: HeadlessGate
    let machine: HeadlessMachine

    static let call = Call(
        .get, OtplessPath.transaction + "/silent-auth-status/{state}", id: "ReadSilentTransaction",
        "What the operator says of a request of an app",
        """
        FAILED: the operator does not vouch for the number, and a code was sent: quantumLeap has the rest. With lapseMeta the \
        app waits no longer. 9106: nothing has worked.
        """, answer: "How the newest request of the app stands.")
    static let body = Shape(TransactionQuery())
    static let parameters = TransactionQuery.parametersOfSilent
    static let reply = Reply<Found> {
        ReplyMember.part({ $0.standing.transaction }, TransactionReply.members)
        ReplyMember.whenThere("quantumLeap", .object(TransactionReply.leap), "Of FAILED: where the app goes on.") {
            found in
            found.standing.next.map { ($0, found.state) }
        }
    }
    static let refusals: [OtplessError] = [
        .stateInvalid, .unknownRequest, .everythingFailed, .rateLimited(.init(.sendsPerNumber, retryAfterSeconds: 1)),
    ]

    func respond(
        to query: TransactionQuery, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> Found {
        let app = try await gate.app(query.state, id: query.app, of: request)
        let session = try await machine.newest(of: app, named: query.token, request)
        return Found(
            standing: try await machine.silentStanding(of: session, givesUp: query.givesUp, for: app),
            state: query.state)
    }
}
