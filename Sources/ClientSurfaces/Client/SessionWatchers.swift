package import HTTPServer
internal import Locks
package import Possession

/// The callers that wait for a session to change, by long poll or stream. A newer one for a session ends the older one
/// (client protocol 4.9), also at another server. There is one entry for each session that is waited for.
package final class SessionWatchers: Sendable {
    private struct State {
        /// The newest watcher of each session.
        var newest: [AuthID: Int] = [:]
        /// The last number given, over all sessions: no number is given twice.
        var turns = 0
    }

    let waits: WaitList
    private let tellOthers: @Sendable (AuthID) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - waits: the list on which `engine.reports.announce` publishes the auth ID's text after every change.
    ///   - tellOthers: called with a session that has a new watcher. Other servers release theirs.
    package init(_ waits: WaitList, tellOthers: @escaping @Sendable (AuthID) -> Void = { _ in }) {
        self.waits = waits
        self.tellOthers = tellOthers
    }

    /// The turn of one watcher.
    struct Turn: Sendable {
        fileprivate let session: AuthID
        fileprivate let number: Int
    }

    /// Replaces an older watcher, which is woken.
    func begin(_ session: AuthID) -> Turn {
        let (turn, replaces) = state.withLock { state in
            state.turns += 1
            let older = state.newest.updateValue(state.turns, forKey: session)
            return (Turn(session: session, number: state.turns), older != nil)
        }
        if replaces { waits.publish(session.text) }
        tellOthers(session)
        return turn
    }

    func isNewest(_ turn: Turn) -> Bool {
        state.withLock { $0.newest[turn.session] == turn.number }
    }

    func end(_ turn: Turn) {
        state.withLock { state in
            if state.newest[turn.session] == turn.number { state.newest[turn.session] = nil }
        }
    }

    /// A newer watcher waits at another server.
    package func release(_ session: AuthID) {
        let hadWatcher = state.withLock { $0.newest.removeValue(forKey: session) != nil }
        if hadWatcher { waits.publish(session.text) }
    }

    /// The sessions that are waited for.
    package var sessions: [AuthID] { state.withLock { Array($0.newest.keys) } }
}
