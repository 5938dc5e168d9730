/// Question about a number.
package struct ReputationQuery: Sendable, Equatable {
    package let number: PhoneNumber
    /// Since when the backend knows the number; `nil`: it has not enrolled it.
    package let knownSince: Timestamp?
    /// For which session; `nil`: for a call that has none.
    package let session: CorrelationID?

    package init(_ number: PhoneNumber, knownSince: Timestamp? = nil, session: CorrelationID? = nil) {
        self.number = number
        self.knownSince = knownSince
        self.session = session
    }
}

/// Why nobody could tell a number's standing.
package enum ReputationFault: Error, Sendable, Equatable {
    /// No source knows numbers like this one.
    case notCovered
    case timeout
    /// A source has failed too often lately, or asked for a pause: it was not called.
    case resting
    /// `reason` is ours: which source, which call, which status; never a number or a token.
    case failed(reason: String)
    /// The caller has gone, so that there is no answer for anybody.
    case cancelled

    /// Stands in timelines.
    package var word: String {
        switch self {
        case .notCovered: "not_covered"
        case .timeout: "timeout"
        case .resting: "resting"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    /// Stands in answers.
    package var explanation: String {
        switch self {
        case .notCovered: "no source for this number"
        case .timeout: "no answer in time"
        case .resting, .failed, .cancelled: "source not available"
        }
    }
}

/// Source that knows the standing of numbers.
package protocol ReputationSource: Sendable {
    /// The standing of a number just now.
    /// - Throws: `ReputationFault`, within the source's own bounded time.
    func standing(_ query: ReputationQuery) async throws(ReputationFault) -> Reputation
}
