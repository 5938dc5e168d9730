internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /otpless/v3/lp/user/transaction/status/{state}`: the app asks every 3 seconds for the status of its request.
///
///     ->  200 {"authDetail":{"status":"PENDING","communicationMode":"SMS","communicationDelivered":true,...}}
struct ReadTransaction: HeadlessEndpoint {
    let gate: HeadlessGate
    let machine: HeadlessMachine

    static let call = Call(
        .get, OtplessPath.transaction + "/status/{state}", id: "ReadTransaction", "How a request of an app stands",
        """
        communicationMode is the channel that has the code now. Where a channel has said nothing for its time, this question \
        hands the code to the next one. 9106: every channel has failed.
        """, answer: "How the newest request of the app stands.")
    static let body = Shape(TransactionQuery())
    static let parameters = TransactionQuery.parameters
    static let reply = Reply<Transaction> { ReplyMember.part({ $0 }, TransactionReply.members) }
    static let refusals: [OtplessError] = [.stateInvalid, .unknownRequest, .everythingFailed]

    func respond(
        to query: TransactionQuery, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> Transaction {
        let app = try await gate.app(query.state, id: query.app, of: request)
        let session = try await machine.newest(of: app, named: query.token, request)
        return try await machine.codeStanding(of: session, for: app)
    }
}

/// The request that a status call of an app asks about.
struct TransactionQuery: Sendable {
    var state = ""
    var app: String?
    /// The token of the app's newest request, if the app names it.
    var token: String?
    /// The app no longer waits for the operator.
    var givesUp = false

    static let parameters = Parameters<TransactionQuery, OtplessError> { members }

    static let parametersOfSilent = Parameters<TransactionQuery, OtplessError> {
        members
        ParameterMember.optionalQuery("lapseMeta", .anyText, "The reason why the app waits no longer.") {
            $0.givesUp = !$1.utf8.isEmpty
        }
    }

    @ParameterBuilder<TransactionQuery, OtplessError>
    private static var members: [ParameterMember<TransactionQuery, OtplessError>] {
        ParameterMember.path("state", .appState, "Of the app.") { $0.state = $1 }
        ParameterMember.optionalQuery("appId", .anyText, "The API client's id.") { $0.app = $1 }
        ParameterMember.optionalQuery("token", .anyText, "channelAuthToken of the app's newest request.") {
            $0.token = $1.utf8.isEmpty ? nil : $1
        }
    }
}
