internal import Locks
package import Possession

/// The users file as last read. Users and their people are replaced together, under one lock.
package final class SandboxUserList: Sendable {
    /// Changes made by reading the file again.
    package struct Change: Sendable, Equatable {
        package let count: Int
        package let added: Int
        package let removed: Int
    }

    private struct State: Sendable {
        let table: SandboxUsers.Table
        let people: [PhoneNumber: Person]
        let numbers: Set<PhoneNumber>

        init(_ entries: [SandboxUsersFile.Entry], readAt: Timestamp) {
            table = SandboxUsers.Table(entries.map(\.user), readAt: readAt)
            var people: [PhoneNumber: Person] = [:]
            for entry in entries { people[entry.user.number] = entry.person }
            self.people = people
            numbers = Set(entries.map(\.user.number))
        }
    }

    private let state: Locked<State>

    private let now: Now

    /// - Parameter now: the sandbox's clock.
    package init(_ entries: [SandboxUsersFile.Entry], now: @escaping Now = { Timestamp(seconds: 0) }) {
        self.now = now
        state = Locked(State(entries, readAt: now()))
    }

    /// The current users, at every look-up.
    package var users: SandboxUsers {
        SandboxUsers({ self.state.withLock { $0.table } }, person: { self.person($0) })
    }

    package func person(_ number: PhoneNumber) -> Person? { state.withLock { $0.people[number] } }

    /// Replaces the users. Running sessions continue with the users they find now.
    @discardableResult
    package func replace(with entries: [SandboxUsersFile.Entry]) -> Change {
        let new = State(entries, readAt: now())
        let old = state.withLock { state in
            defer { state = new }
            return state.numbers
        }
        return Change(
            count: new.numbers.count, added: new.numbers.subtracting(old).count,
            removed: old.subtracting(new.numbers).count)
    }
}
