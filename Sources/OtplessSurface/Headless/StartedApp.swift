internal import Possession
internal import Text

/// An app that calls without any secret: the API client whose id it has named, and its state.
struct StartedApp: Sendable {
    let tenant: Tenant
    let state: AppState
    /// The phone's.
    let address: IPAddress?
    /// That the phone's SDK says the person reads.
    let languages: Languages?

    /// In the order in which a code tries them.
    var channels: [OutgoingMessage.Channel] { tenant.rules.smartChannels }
}
