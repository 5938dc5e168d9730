package import Engine
package import Possession

/// The people of the sandbox users, from the users file; for other numbers another source is used.
package struct SandboxPeople: IdentitySource {
    private let list: SandboxUserList
    private let others: (any IdentitySource)?

    package init(_ list: SandboxUserList, others: (any IdentitySource)? = nil) {
        self.list = list
        self.others = others
    }

    package func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? {
        if let person = list.person(number) { return person }
        return try await others?.person(number)
    }
}
