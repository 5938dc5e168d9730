package import Possession

/// A question about the SIM of a number.
package enum SIMSwapQuestion: Sendable, Equatable {
    /// Whether the number got another SIM in the last `hours` hours.
    case within(hours: Int)
    /// When it got its current SIM.
    case last
}

/// Answer to a question about the SIM of a number.
package enum SIMSwapAnswer: Sendable, Equatable {
    /// Answers `SIMSwapQuestion.within`.
    case swapped(Bool)
    /// Answers `SIMSwapQuestion.last`: the time of the last swap. If the SIM was never swapped, when it was first in
    /// the network.
    case last(Timestamp)
    /// The operator may not report swaps older than this number of days, and there was none in that time. `nil`: it
    /// does not name the number of days, or the number has no SIM.
    case untold(monitoredDays: Int?)

    /// The answer to a question, derived from an answer to `SIMSwapQuestion.last`.
    package func answering(_ question: SIMSwapQuestion, at now: Timestamp) -> SIMSwapAnswer {
        guard case .within(let hours) = question else { return self }
        switch self {
        // A swap in the future also counts, because clocks differ.
        case .last(let time): return .swapped(time > now.adding(.seconds(-3600 * hours)))
        case .untold(let days?) where days * 24 >= hours: return .swapped(false)
        case .swapped, .untold: return self
        }
    }
}

/// Source for the SIM of numbers.
package protocol SIMSwapSource: Sendable {
    /// - Throws: `ReputationFault`, within the source's own bounded time.
    func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber
    ) async throws(ReputationFault) -> SIMSwapAnswer
}
