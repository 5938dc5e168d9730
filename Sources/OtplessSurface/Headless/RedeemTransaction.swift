internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/v3/lp/user/transaction/code/{state}`: redeems the code of a link that opened the app.
///
///     {"code":"q3V0..."}  ->  200 {"authDetail":{"status":"SUCCESS",...},"oneTap":{...}}
struct RedeemTransaction: HeadlessEndpoint {
    struct Order: Sendable {
        var state = ""
        var app: String?
        var code = ""
        var verifier: String?
    }

    let gate: HeadlessGate
    let machine: HeadlessMachine

    static let call = Call(
        .post, OtplessPath.transaction + "/code/{state}", id: "RedeemTransaction",
        "Redeem the code of a link, by the app",
        "Of a link of the app's newest request. A code is good for 60 seconds and once.",
        body: .json(#"{"code":"AZt5B41YdQCAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAA"}"#, upTo: .app), answer: "The person.")
    static let body = Shape(Order()) {
        Member.optional("appId", .anyText, "The API client's id.") { $0.app = $1 }
        Member.required("code", .anyText, "That the app was opened with.") { $0.code = $1 }
        Member.optional("code_verifier", .verifier, "Where the intent had a code_challenge.") { $0.verifier = $1 }
    }
    static let parameters = Parameters<Order, OtplessError> {
        ParameterMember.path("state", .appState, "Of the app.") { $0.state = $1 }
    }
    static let reply = Reply<Transaction> { ReplyMember.part({ $0 }, TransactionReply.members) }
    static let refusals: [OtplessError] = [.stateInvalid, .unknownRequest, .codeInvalid]

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> Transaction {
        let app = try await gate.app(order.state, id: order.app, of: request)
        return try await machine.redeem(order.code, order.verifier, for: app, request)
    }
}
