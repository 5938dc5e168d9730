/// A question about the SIM of a number.
package enum SIMSwapQuestion: Sendable, Equatable {
    /// Whether the number got another SIM in so many last hours.
    case within(hours: Int)
    /// When it got the one that it has.
    case last
}

/// Answer to a question about the SIM of a number.
package enum SIMSwapAnswer: Sendable, Equatable {
    /// To `SIMSwapQuestion.within`.
    case swapped(Bool)
    /// To `SIMSwapQuestion.last`: the last swap. Of a SIM that was never swapped, when it was first in the network.
    case last(Timestamp)
    /// The operator may not tell what is longer ago than so many days, and in these there was no swap. `nil`: it does not say
    /// how many, or the number has no SIM.
    case untold(monitoredDays: Int?)

    /// The answer to a question, where this one is the answer to `SIMSwapQuestion.last`.
    package func answering(_ question: SIMSwapQuestion, at now: Timestamp) -> SIMSwapAnswer {
        guard case .within(let hours) = question else { return self }
        switch self {
        // A swap in the future counts as well: clocks differ.
        case .last(let time): return .swapped(time > now.adding(.seconds(-3600 * hours)))
        case .untold(let days?) where days * 24 >= hours: return .swapped(false)
        case .swapped, .untold: return self
        }
    }
}

/// Source that knows the SIM of numbers.
package protocol SIMSwapSource: Sendable {
    /// - Throws: `ReputationFault`, within the source's own bounded time.
    func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber
    ) async throws(ReputationFault) -> SIMSwapAnswer
}
