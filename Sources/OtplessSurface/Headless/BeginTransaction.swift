internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/v3/lp/user/transaction/intent/{state}`: the app begins to verify a person.
///
///     {"channel":"OTP","type":"INPUT","identifierType":"MOBILE","mobile":"12001004014"}
///     ->  200 {"authDetail":{...},"quantumLeap":{"channel":"OTP","communicationMode":"WHATSAPP",...}}
struct BeginTransaction: HeadlessEndpoint {
    struct Begun: Sendable {
        let transaction: Transaction
        let state: String
    }

    let gate: HeadlessGate
    let machine: HeadlessMachine

    static let call = Call(
        .post, OtplessPath.transaction + "/intent/{state}", id: "BeginTransaction", "Verify a person, by the app",
        """
        Begins a request; the app's older one gets no answer any more. The code takes the channels of the API client, one \
        after the other, each for its time.
        """,
        body: .json(
            #"{"channel":"OTP","type":"INPUT","identifierType":"MOBILE","mobile":"12001004014","silentAuthEnabled":false}"#,
            upTo: .app),
        demand: .begins, answer: "What was done.")
    static let body = Intent.members
    static let parameters = Parameters<Intent, OtplessError> {
        ParameterMember.path("state", .appState, "Of the app.") { $0.state = $1 }
    }
    static let reply = Reply<Begun> {
        ReplyMember.part({ $0.transaction }, TransactionReply.members)
        ReplyMember.always("quantumLeap", .object(TransactionReply.leap), "Where the app goes on.") {
            ($0.transaction, $0.state)
        }
    }
    static let refusals: [OtplessError] = [
        .stateInvalid, .silentUnavailable, .noTarget, .noEmail, .channelNotEnabled(field: "deliveryMethod"),
        .countryClosed,
        .notSent, .rateLimited(.init(.sendsPerNumber, retryAfterSeconds: 1)),
    ]

    func respond(
        to intent: Intent, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> Begun {
        let app = try await gate.app(intent.state, id: intent.app, of: request)
        do throws(OtplessError) {
            return Begun(transaction: try await machine.begin(intent, for: app, request), state: intent.state)
        } catch { throw error.naming(number: "mobile") }
    }
}
