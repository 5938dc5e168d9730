internal import Possession
internal import SurfaceKit

/// Resets the counted cost of messages in the last 24 hours.
struct ResetSpending: Order {
    /// `nil`: of all API clients.
    let client: ClientID?

    static let call = OrderCall(.post, "/control/guard/reset", Self.init, .optional("client", .client, \.client))
    static let reply = Reply<Bool> { ReplyMember.always("reset", .flag) { $0 } }
    var act: OperatorAct? { OperatorAct("spending reset", .spendingReset, client: client) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Bool {
        try await administrator.resetSpending(of: client)
    }
}
