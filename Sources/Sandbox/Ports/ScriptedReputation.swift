package import Engine
package import Possession

/// The standings from the sandbox users' scripts. The standing of every other number is good.
package struct ScriptedReputation: ReputationSource {
    private let standing: @Sendable (PhoneNumber) -> Reputation

    package init(_ standing: @escaping @Sendable (PhoneNumber) -> Reputation) {
        self.standing = standing
    }

    package init(_ users: SandboxUsers) {
        standing = { users.user($0)?.standing ?? Reputation() }
    }

    package func standing(_ query: ReputationQuery) async throws(ReputationFault) -> Reputation {
        standing(query.number)
    }
}
