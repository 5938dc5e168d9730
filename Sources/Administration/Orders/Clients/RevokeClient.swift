internal import Possession
internal import SurfaceKit

/// Revokes an API client: its next call is refused.
struct RevokeClient: Order {
    let client: ClientID

    static let call = OrderCall(.post, "/control/clients/{id}/revoke", Self.init, .client(\.client))
    static let reply = Reply<ClientID> { ReplyMember.always("id", .text) { $0.text } }
    var act: OperatorAct? { OperatorAct("API client revoked", .clientRevoked, client: client) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> ClientID {
        try await administrator.revokeClient(client)
        return client
    }
}
