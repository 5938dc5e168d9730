internal import Engine
internal import Possession
internal import SurfaceKit

/// Gives an API client the first keys that its apps are built with.
struct AddApplicationKeys: Order {
    let client: ClientID

    static let call = OrderCall(.post, "/control/clients/{id}/app-keys", status: 201, Self.init, .client(\.client))
    static let reply = ExportApplicationKeys.reply
    var act: OperatorAct? { OperatorAct("application keys added", .applicationKeysAdded, client: client) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> ApplicationCredentials {
        try await administrator.addApplicationKeys(of: client)
    }
}
