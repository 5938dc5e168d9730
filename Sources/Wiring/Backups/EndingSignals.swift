internal import Dispatch
internal import Glibc
internal import Locks

/// When a signal ends a command, removes the files that the command has begun.
final class EndingSignals: Sendable {
    private let cleanups = Locked<[@Sendable () -> Void]>([])
    private let sources = Locked<[any DispatchSourceSignal]>([])

    /// Returns once the signals are caught.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) async {
        for number in numbers {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [cleanups] in
                for cleanup in cleanups.withLock({ $0 }) { cleanup() }
                // The exit status by which a shell reports a program that a signal has ended.
                _exit(128 + number)
            }
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.activate()
            }
            sources.withLock { $0.append(source) }
        }
    }

    /// Registers work to do when a signal arrives. It must be harmless after the command's own work is done.
    func onEnd(_ cleanup: @escaping @Sendable () -> Void) {
        cleanups.withLock { $0.append(cleanup) }
    }
}
