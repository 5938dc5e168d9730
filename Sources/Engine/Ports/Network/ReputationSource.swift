package import Possession

/// A request for the standing of a number.
package struct ReputationQuery: Sendable, Equatable {
    package let number: PhoneNumber
    /// Since when the backend knows the number; `nil`: it has not enrolled the number.
    package let knownSince: Timestamp?
    /// The session that needs it; `nil`: the call has no session.
    package let session: CorrelationID?

    package init(_ number: PhoneNumber, knownSince: Timestamp? = nil, session: CorrelationID? = nil) {
        self.number = number
        self.knownSince = knownSince
        self.session = session
    }
}

/// Why a number's standing could not be learned.
package enum ReputationFault: Error, Sendable, Equatable {
    /// No source covers numbers like this one.
    case notCovered
    case timeout
    /// A source was not called, because it failed too often recently or asked for a pause.
    case resting
    /// `reason` is our text: which source, which call, which status; never a number or a token.
    case failed(reason: String)
    /// The caller has gone, so no answer is needed.
    case cancelled

    /// Word for timelines.
    package var word: String {
        switch self {
        case .notCovered: "not_covered"
        case .timeout: "timeout"
        case .resting: "resting"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    /// Text for responses.
    package var explanation: String {
        switch self {
        case .notCovered: "no source for this number"
        case .timeout: "no answer in time"
        case .resting, .failed, .cancelled: "source not available"
        }
    }
}

/// Source for the standing of numbers.
package protocol ReputationSource: Sendable {
    /// The current standing of a number.
    /// - Throws: `ReputationFault`, within the source's own bounded time.
    func standing(_ query: ReputationQuery) async throws(ReputationFault) -> Reputation
}
