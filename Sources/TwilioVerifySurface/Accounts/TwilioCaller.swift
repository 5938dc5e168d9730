internal import Possession

/// The API client that calls, and what it is called here.
struct TwilioCaller: Sendable {
    let tenant: Tenant
    let sids: AccountSIDs
}
