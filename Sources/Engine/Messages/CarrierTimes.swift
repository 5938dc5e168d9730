internal import Locks

/// How long carriers took for the newest messages whose result callers must not learn
/// (`Policy.tellsNothingOfMessages`). A message for an unknown person takes as long. Otherwise the store would be
/// written at another time, and calls at that moment would reveal who is known.
final class CarrierTimes: Sendable {
    private static let most = 16

    private let times = Locked<[Duration]>([])

    func note(_ time: Duration) {
        times.withLock { times in
            times.append(time)
            if times.count > Self.most { times.removeFirst() }
        }
    }

    /// The next recorded time, in rotation; zero if there is none.
    func take() -> Duration {
        times.withLock { times in
            guard !times.isEmpty else { return .zero }
            let first = times.removeFirst()
            times.append(first)
            return first
        }
    }
}
