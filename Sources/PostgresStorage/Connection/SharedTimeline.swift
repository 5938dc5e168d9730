internal import Locks

/// A timeline of a PostgreSQL. Each promotion begins a new one.
struct Timeline: Equatable, Sendable {
    /// The identifier of the database system: of the primary and all its standbys.
    let system: String
    /// Eight hexadecimal digits, as in names of WAL files. They sort as their numbers.
    let number: String

    var text: String { "\(system) \(number)" }

    init(system: String, number: String) {
        self.system = system
        self.number = number
    }

    /// - Parameter text: such as `7301234567890123456 00000002`.
    init?(_ text: String) {
        let parts = text.split(whereSeparator: \.isWhitespace)
        guard parts.count == 2, parts[1].utf8.count == 8 else { return nil }
        self.init(system: String(parts[0]), number: String(parts[1]))
    }

    func isOlder(than other: Timeline) -> Bool { number.utf8.lexicographicallyPrecedes(other.number.utf8) }
}

/// The newest timeline that connections of one address have seen.
final class SharedTimeline: Sendable {
    private struct State: Sendable {
        var newest: Timeline?
        /// No connection of this run has seen it yet.
        var isOfEarlierRun: Bool
    }

    private let state: Locked<State>

    /// - Parameter earlier: the newest one of an earlier run.
    init(earlier: Timeline? = nil) { state = Locked(State(newest: earlier, isOfEarlierRun: true)) }

    var newest: Timeline? { state.withLock(\.newest) }

    /// - Throws: a newer one of the same system was seen, or another system in this run. An operator may move to
    ///   another system between two runs.
    func raise(to found: Timeline) throws(PostgresFailure) {
        let refusal: String? = state.withLock { state in
            if let newest = state.newest, newest.system == found.system {
                if found.isOlder(than: newest) {
                    return "a former primary, as its timeline \(found.number) has a successor"
                }
            } else if !state.isOfEarlierRun {
                return "another database system"
            }
            state = State(newest: found, isOfEarlierRun: false)
            return nil
        }
        if let refusal { throw .lost("connect: \(refusal)") }
    }
}
