internal import Possession

/// The standing of an app's newest request.
struct Transaction: Sendable {
    enum State: Sendable {
        case pending
        case succeeded(OneTap)
        /// The request can no longer succeed.
        case failed
    }

    let session: Session
    let state: State
    let way: AuthType
    /// The channel that took the newest message; `nil`: there is no message.
    let channel: OtplessChannel?
    /// Whether the carrier has reported that the message arrived.
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
