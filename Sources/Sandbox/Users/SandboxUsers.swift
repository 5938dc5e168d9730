package import Possession

/// All sandbox users, found by the digits that a caller sends. They may change between two look-ups: the users file is
/// read again on request (contract section 9).
package struct SandboxUsers: Sendable {
    /// All users of one reading of the file.
    package final class Table: Sendable {
        let all: [SandboxUser]
        /// When the file was read, by the sandbox's clock.
        let readAt: Timestamp
        private let byDigits: [String: Int]
        private let byTarget: [Target: Int]
        /// By the first of a user's credentials.
        private let byCredential: [Identification.Entry: [Int]]

        /// A later user with the same digits replaces an earlier one.
        package init(_ users: [SandboxUser], readAt: Timestamp = Timestamp(seconds: 0)) {
            self.readAt = readAt
            var byDigits: [String: Int] = [:]
            var byTarget: [Target: Int] = [:]
            var byCredential: [Identification.Entry: [Int]] = [:]
            for (index, user) in users.enumerated() {
                byTarget[.number(user.number)] = index
                if let address = user.emailAddress { byTarget[.email(address)] = index }
                if let first = user.credentials?.entries.first { byCredential[first, default: []].append(index) }
                switch user.region {
                case .international:
                    byDigits[user.digits] = index
                case .northAmerica:
                    // `2001004014`, `12001004014` and `+12001004014` are one user.
                    for prefix in ["", "1", "+1"] { byDigits[prefix + user.digits] = index }
                }
            }
            all = users
            self.byDigits = byDigits
            self.byTarget = byTarget
            self.byCredential = byCredential
        }

        func user(sentAs digits: String) -> SandboxUser? { byDigits[digits].map { all[$0] } }
        func user(_ target: Target) -> SandboxUser? { byTarget[target].map { all[$0] } }

        func user(saying said: Identification) -> SandboxUser? {
            for entry in said.entries {
                let found = byCredential[entry]?.first { index in
                    all[index].credentials.map { said.says(allOf: $0) } ?? false
                }
                if let found { return all[found] }
            }
            return nil
        }
    }

    private let table: @Sendable () -> Table
    private let person: @Sendable (PhoneNumber) -> Person?

    /// Users that never change.
    package init(
        _ users: [SandboxUser], readAt: Timestamp = Timestamp(seconds: 0),
        person: @escaping @Sendable (PhoneNumber) -> Person? = { _ in nil }
    ) {
        let table = Table(users, readAt: readAt)
        self.table = { table }
        self.person = person
    }

    /// - Parameters:
    ///   - table: returns the current users; called at every look-up.
    ///   - person: the person behind a user's number.
    package init(
        _ table: @escaping @Sendable () -> Table, person: @escaping @Sendable (PhoneNumber) -> Person? = { _ in nil }
    ) {
        self.table = table
        self.person = person
    }

    /// The number of the connection and of the session when none was named (contract section 8).
    package static let defaultNumber = PhoneNumber(e164: "+12001004016")

    package var all: [SandboxUser] { table().all }
    package var readAt: Timestamp { table().readAt }
    package func user(sentAs digits: String) -> SandboxUser? { table().user(sentAs: digits) }
    package func user(_ number: PhoneNumber) -> SandboxUser? { table().user(.number(number)) }
    package func user(_ target: Target) -> SandboxUser? { table().user(target) }
    /// The person behind the user in Pre-Fill; `nil` for most users.
    package func person(of user: SandboxUser) -> Person? { person(user.number) }
    /// The user whose credentials are all among those given.
    package func user(saying said: Identification) -> SandboxUser? { table().user(saying: said) }
}
