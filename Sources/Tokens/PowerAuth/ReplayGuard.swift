internal import Locks
import Possession

/// Sees to it that an envelope opens once: it is fresh, and it did not come before.
///
/// An envelope is fresh for 60 s on both sides of its time, so each one that opened is remembered for at most 120 s. What is
/// remembered is a fingerprint of 8 bytes, sorted by the second of the envelope's time: a replay has the same time, and a
/// whole second is forgotten at once. Whatever is older than a second that was forgotten is refused, and so is what is older
/// than the process, which remembers nothing from before.
///
/// An envelope is noted after its MAC was right, so that only apps of an application fill its memory. Each application has a
/// memory of its own, of bounded size. A full one refuses envelopes of that application until it has forgotten some, and those
/// of no other one. `RecentValues` would forget the oldest in its place, and a flood would let replays pass.
final class ReplayGuard: Sendable {
    /// How far the time of an envelope may be from ours.
    static let window: Duration = .seconds(60)
    /// Envelopes of one application that are remembered: 2 MB, and 1,000 a second by phones whose clock is right.
    static let mostPerApplication = 65_536

    private struct State {
        /// Fingerprints by application and second.
        var applications: [[UInt8]: [Int64: Set<UInt64>]] = [:]
        /// Milliseconds. Envelopes from before cannot be told from replays.
        var floor: Int64
        /// The first second that may be remembered.
        var firstSecond = Int64.min
    }

    private let state: Locked<State>
    private let most: Int

    /// - Parameter startedAt: when the process began, by the clock that envelopes are compared with.
    init(startedAt: Timestamp, mostPerApplication: Int = ReplayGuard.mostPerApplication) {
        state = Locked(State(floor: startedAt.milliseconds))
        most = mostPerApplication
    }

    /// Whether an envelope of this time, in milliseconds, may open. Cheap: asked before anything is computed.
    func isFresh(_ timestamp: Int64, at now: Timestamp) -> Bool {
        timestamp >= now.adding(.zero - Self.window).milliseconds && timestamp <= now.adding(Self.window).milliseconds
            && timestamp >= state.withLock { $0.floor }
    }

    /// Notes an envelope whose MAC is right.
    ///
    /// - Parameter identity: the bytes that no other envelope has.
    /// - Returns: `false`: it came before, is not fresh, or the application's memory is full.
    func admit(_ identity: [UInt8], timestamp: Int64, of application: [UInt8], at now: Timestamp) -> Bool {
        guard isFresh(timestamp, at: now) else { return false }
        let fingerprint = SHA256.digest(identity).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
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

    /// Fingerprints that are remembered.
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
