internal import Locks

/// How long carriers took for the newest messages of which nobody is told (`Policy.tellsNothingOfMessages`). A message to nobody
/// takes as long: else the store would be written at another time, and the calls of that moment would tell who is known.
final class CarrierTimes: Sendable {
    private static let most = 16

    private let times = Locked<[Duration]>([])

    func note(_ time: Duration) {
        times.withLock { times in
            times.append(time)
            if times.count > Self.most { times.removeFirst() }
        }
    }

    /// One of them, each in its turn; zero before there is any.
    func take() -> Duration {
        times.withLock { times in
            guard !times.isEmpty else { return .zero }
            let first = times.removeFirst()
            times.append(first)
            return first
        }
    }
}
