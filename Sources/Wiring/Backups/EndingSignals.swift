internal import Dispatch
internal import Glibc
internal import Locks

/// Removes what a command has begun when a signal ends it.
final class EndingSignals: Sendable {
    private let cleanups = Locked<[@Sendable () -> Void]>([])
    private let sources = Locked<[any DispatchSourceSignal]>([])

    /// Returns once the signals are caught.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) async {
        for number in numbers {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [cleanups] in
                for cleanup in cleanups.withLock({ $0 }) { cleanup() }
                // As a shell reports a program that a signal has ended.
                _exit(128 + number)
            }
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.activate()
            }
            sources.withLock { $0.append(source) }
        }
    }

    /// From now on a signal does this first. It must be harmless once its work is done.
    func onEnd(_ cleanup: @escaping @Sendable () -> Void) {
        cleanups.withLock { $0.append(cleanup) }
    }
}
