internal import Sandbox
internal import Possession
internal import SurfaceKit

/// The cellular connection of a device: its number, and the simulated outcome.
struct SimulatedConnection: Sendable, Equatable {
    let number: PhoneNumber
    let outcome: SandboxUser.MobileAuthOutcome
}

/// The subscribers of the simulated operator: the sandbox users.
struct SimulatedNetwork: Sendable {
    let users: SandboxUsers

    /// - Parameter named: the number in `login_hint`.
    func connection(of named: PhoneNumber?) -> SimulatedConnection {
        if let named {
            return SimulatedConnection(number: named, outcome: users.user(named)?.mobileAuth ?? .unavailable)
        }
        guard let number = SandboxUsers.defaultNumber else {
            preconditionFailure("the default number is an E.164 number")
        }
        return SimulatedConnection(number: number, outcome: users.user(number)?.mobileAuth ?? .match)
    }
}
