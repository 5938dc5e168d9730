internal import Locks
import Possession

/// Makes sure that an envelope opens only once at this server: it must be fresh, and must not have come before.
/// `UsedNameStore` does the same over several servers. It is asked second, so this memory bounds what one application
/// can add there.
///
/// An envelope is fresh for 60 s on both sides of its time, so each opened one is remembered for at most 120 s. The
/// memory holds fingerprints of 8 bytes, grouped by the second of the envelope's time: a replay has the same time, and
/// a whole second is forgotten at once. An envelope older than a forgotten second is refused, and so is one from before
/// the start of the process, which remembers nothing earlier.
///
/// An envelope is recorded after its MAC was verified, so that only an application's own apps can fill its memory. Each
/// application has its own memory of bounded size. When it is full, further envelopes of that application are refused
/// until some are forgotten; other applications are not affected. `RecentValues` would drop the oldest instead, and a
/// flood would let replays pass.
final class ReplayGuard: Sendable {
    /// How far the time of an envelope may be from ours.
    static let window: Duration = .seconds(60)
    /// Envelopes that are remembered for one application: 2 MB, and 1,000 a second from phones with a correct clock.
    static let mostPerApplication = 65_536

    private struct State {
        /// Fingerprints by application and second.
        var applications: [[UInt8]: [Int64: Set<UInt64>]] = [:]
        /// Milliseconds. Earlier envelopes cannot be distinguished from replays.
        var floor: Int64
        /// The first second that is still remembered.
        var firstSecond = Int64.min
    }

    private let state: Locked<State>
    private let most: Int

    /// - Parameter startedAt: when the process began, by the clock that envelopes are compared with.
    init(startedAt: Timestamp, mostPerApplication: Int = ReplayGuard.mostPerApplication) {
        state = Locked(State(floor: startedAt.milliseconds))
        most = mostPerApplication
    }

    /// Whether an envelope with this time, in milliseconds, may open. Cheap: checked before any computation.
    func isFresh(_ timestamp: Int64, at now: Timestamp) -> Bool {
        timestamp >= now.adding(.zero - Self.window).milliseconds && timestamp <= now.adding(Self.window).milliseconds
            && timestamp >= state.withLock { $0.floor }
    }

    /// Records an envelope whose MAC is right.
    ///
    /// - Parameter identity: the bytes that identify the envelope.
    /// - Returns: `false`: it came before, is not fresh, or the application's memory is full.
    func admit(_ identity: [UInt8], timestamp: Int64, of application: [UInt8], at now: Timestamp) -> Bool {
        guard isFresh(timestamp, at: now) else { return false }
        let fingerprint = Self.fingerprint(of: identity)
        let second = Timestamp(milliseconds: timestamp).seconds
        return state.withLock { state in
            Self.forget(before: now.adding(.zero - Self.window).seconds, in: &state)
            // Another thread may have forgotten this second in the meantime.
            guard timestamp >= state.floor else { return false }
            var seconds = state.applications.removeValue(forKey: application) ?? [:]
            defer { state.applications[application] = seconds }
            guard seconds.values.reduce(0, { $0 + $1.count }) < most else { return false }
            return seconds[second, default: []].insert(fingerprint).inserted
        }
    }

    /// Forgets an envelope that `admit` has recorded and that was not opened: its caller may send it again.
    func forget(_ identity: [UInt8], timestamp: Int64, of application: [UInt8]) {
        let fingerprint = Self.fingerprint(of: identity)
        let second = Timestamp(milliseconds: timestamp).seconds
        state.withLock { state in
            _ = state.applications[application]?[second]?.remove(fingerprint)
        }
    }

    private static func fingerprint(of identity: [UInt8]) -> UInt64 {
        SHA256.digest(identity).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    /// Number of remembered fingerprints.
    var count: Int {
        state.withLock { $0.applications.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }
    }

    private static func forget(before second: Int64, in state: inout State) {
        guard second > state.firstSecond else { return }
        state.firstSecond = second
        state.floor = max(state.floor, Timestamp(seconds: second).milliseconds)
        state.applications = state.applications.compactMapValues { seconds in
            let kept = seconds.filter { $0.key >= second }
            return kept.isEmpty ? nil : kept
        }
    }
}
