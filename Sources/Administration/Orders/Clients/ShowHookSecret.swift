internal import Engine
internal import Possession
internal import SurfaceKit

/// Shows the secret by which another server has its codes sent for an API client.
struct ShowHookSecret: Order {
    let client: ClientID

    static let call = OrderCall(.post, "/control/clients/{id}/hook-secret", Self.init, .client(\.client))
    static let reply = Reply<(client: ClientID, secret: HookSecret)> {
        ReplyMember.always("id", .text) { $0.client.text }
        ReplyMember.always("secret", .text) { $0.secret.text }
        ReplyMember.always("signingSecret", .text) { $0.secret.signing }
    }
    /// It shows a secret, so it is recorded like a change.
    var act: OperatorAct? { OperatorAct("hook secret shown", .hookSecretShown, client: client) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> (client: ClientID, secret: HookSecret) {
        (client, try await administrator.hookSecret(of: client))
    }
}
