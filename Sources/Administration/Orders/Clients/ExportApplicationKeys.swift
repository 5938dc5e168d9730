internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Shows the current keys of an API client's apps, for the build of an app.
struct ExportApplicationKeys: Order {
    let client: ClientID

    static let call = OrderCall(.post, "/control/clients/{id}/app-keys/export", Self.init, .client(\.client))
    static let reply = Reply<ApplicationCredentials> { members }
    static let members = [
        ReplyMember<ApplicationCredentials>.always("applicationKey", .text) { $0.applicationKey },
        .always("applicationSecret", .text) { $0.applicationSecret.text },
        .always("masterPublicKey", .text) { $0.masterPublicKey },
        .always("sdkConfiguration", .text) { $0.configuration.text },
    ]
    /// It shows secrets, so it is recorded like a change.
    var act: OperatorAct? { OperatorAct("application keys exported", .applicationKeysExported, client: client) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> ApplicationCredentials {
        try await administrator.exportApplicationKeys(of: client)
    }
}
