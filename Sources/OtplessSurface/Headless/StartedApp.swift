internal import Possession
internal import Text

/// An app, which calls without a secret: its API client, and its state.
struct StartedApp: Sendable {
    let tenant: Tenant
    let state: AppState
    /// The phone's address.
    let address: IPAddress?
    /// The person's languages, as the phone's SDK reports them.
    let languages: Languages?

    /// The channels for a code, in the order in which they are tried.
    var channels: [OutgoingMessage.Channel] { tenant.rules.smartChannels }
}
