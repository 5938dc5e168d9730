package import Possession

/// The people of the sandbox users, as the users file has them; for everybody else another source is asked.
package struct SandboxPeople: IdentitySource {
    private let people: [PhoneNumber: Person]
    private let others: (any IdentitySource)?

    package init(_ entries: [SandboxUsersFile.Entry], others: (any IdentitySource)? = nil) {
        var people: [PhoneNumber: Person] = [:]
        for entry in entries { people[entry.user.number] = entry.person }
        self.people = people
        self.others = others
    }

    package func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? {
        if let person = people[number] { return person }
        return try await others?.person(number)
    }
}
