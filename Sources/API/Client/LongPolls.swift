internal import Locks
internal import HTTPServer
internal import Possession

/// The long polls under way, so that a newer one of a session releases the older (client protocol 4.9). As many entries
/// as sessions that are waited for.
final class LongPolls: Sendable {
    /// The newest poll of a session.
    private let newest = Locked<[AuthID: Int]>([:])

    /// - Returns: the number of this poll, and whether an older one is under way.
    func begin(_ session: AuthID) -> (turn: Int, replaces: Bool) {
        newest.withLock { newest in
            let older = newest[session]
            let turn = (older ?? 0) &+ 1
            newest[session] = turn
            return (turn, older != nil)
        }
    }

    func isNewest(_ session: AuthID, _ turn: Int) -> Bool {
        newest.withLock { $0[session] == turn }
    }

    func end(_ session: AuthID, _ turn: Int) {
        newest.withLock { newest in
            if newest[session] == turn { newest[session] = nil }
        }
    }
}
