internal import Possession

/// How an app's newest request stands.
struct Transaction: Sendable {
    enum State: Sendable {
        case pending
        case succeeded(OneTap)
        /// Nobody can succeed any more.
        case failed
    }

    let session: Session
    let state: State
    let way: AuthType
    /// That took the newest message; `nil`: there is none.
    let channel: OtplessChannel?
    /// Whether its carrier has said that the message arrived.
    let isDelivered: Bool
    /// The address that the phone opens to ask its operator.
    var link: String?

    var status: TransactionReply.Status {
        switch state {
        case .pending: .pending
        case .succeeded: .success
        case .failed: .failed
        }
    }

    var oneTap: OneTap? {
        if case .succeeded(let oneTap) = state { oneTap } else { nil }
    }
}
