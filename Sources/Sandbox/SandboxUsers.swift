package import Possession

/// All sandbox users, found by the digits a caller sends. They may be others from one look-up to the next: the users file
/// is read again on request (contract section 9).
package struct SandboxUsers: Sendable {
    /// All users of one reading of the file.
    package final class Table: Sendable {
        let all: [SandboxUser]
        private let byDigits: [String: Int]
        private let byTarget: [Target: Int]

        /// A later user with the same digits replaces an earlier one.
        package init(_ users: [SandboxUser]) {
            var byDigits: [String: Int] = [:]
            var byTarget: [Target: Int] = [:]
            for (index, user) in users.enumerated() {
                byTarget[.number(user.number)] = index
                if let address = user.emailAddress { byTarget[.email(address)] = index }
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
        }

        func user(sentAs digits: String) -> SandboxUser? { byDigits[digits].map { all[$0] } }
        func user(_ target: Target) -> SandboxUser? { byTarget[target].map { all[$0] } }
    }

    private let table: @Sendable () -> Table

    /// Users that never change.
    package init(_ users: [SandboxUser]) {
        let table = Table(users)
        self.table = { table }
    }

    /// - Parameter table: gives the users of now; asked at every look-up.
    package init(_ table: @escaping @Sendable () -> Table) {
        self.table = table
    }

    /// Whose connection and whose session it is when nobody was named (contract section 8).
    package static let defaultNumber = PhoneNumber(e164: "+12001004016")

    package var all: [SandboxUser] { table().all }
    package func user(sentAs digits: String) -> SandboxUser? { table().user(sentAs: digits) }
    package func user(_ number: PhoneNumber) -> SandboxUser? { table().user(.number(number)) }
    package func user(_ target: Target) -> SandboxUser? { table().user(target) }
}
