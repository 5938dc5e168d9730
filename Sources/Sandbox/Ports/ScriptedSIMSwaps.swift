package import Engine
package import Possession

/// The SIM swaps from the sandbox users' scripts. The simulated operator knows no other number.
package struct ScriptedSIMSwaps: SIMSwapSource {
    /// The activation date of a SIM that was never swapped: 2020-01-01.
    package static let activation = Timestamp(seconds: 1_577_836_800)

    private let users: SandboxUsers
    private let now: Now

    /// - Parameter now: the sandbox's clock.
    package init(_ users: SandboxUsers, now: @escaping Now) {
        self.users = users
        self.now = now
    }

    package func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber
    ) async throws(ReputationFault) -> SIMSwapAnswer {
        switch users.user(number)?.simSwap ?? .told(hoursAgo: nil, monitoredDays: nil) {
        case .outcome(.noSIM): question == .last ? .untold(monitoredDays: nil) : .swapped(false)
        case .outcome(.notApplicable): throw .notCovered
        case .outcome(.unavailable): throw .timeout
        case .told(let hoursAgo, let monitoredDays):
            told(hoursAgo, monitoredDays).answering(question, at: now())
        }
    }

    /// The last swap, as far as the operator may report it.
    private func told(_ hoursAgo: Int?, _ monitoredDays: Int?) -> SIMSwapAnswer {
        let last = hoursAgo.map { users.readAt.adding(.seconds(-3600 * $0)) } ?? Self.activation
        if let monitoredDays, last < now().adding(.seconds(-86_400 * monitoredDays)) {
            return .untold(monitoredDays: monitoredDays)
        }
        return .last(last)
    }
}
