package import Engine
package import Possession

/// Finds sandbox users by their credentials, and other people by another finder. A query with the credential
/// `shouldFail` finds no person.
package struct SandboxPersonFinder: PersonFinder {
    private static let failing = Identification([Identification.Entry("shouldFail", "true")])

    private let users: SandboxUsers
    private let others: any PersonFinder

    package init(_ users: SandboxUsers, others: any PersonFinder = NobodyFound()) {
        self.users = users
        self.others = others
    }

    package func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson? {
        if let failing = Self.failing, identification.says(allOf: failing) { return nil }
        guard let user = users.user(saying: identification) else {
            return try await others.person(identification, for: client)
        }
        let mailbox = user.isReachedByEmail ? user.emailAddress : nil
        return FoundPerson(target: mailbox.map { .email($0) } ?? .number(user.number))
    }
}
