internal import Dispatch
internal import Glibc
internal import Locks

/// The signals that the process takes from here to its end: SIGTERM and SIGINT stop it, SIGHUP reads the configuration again.
///
/// Their sources stay until the process is gone: a signal whose source ends would kill it in the middle of its end.
final class ProcessSignals: Sendable {
    private enum Phase { case serving, ending, ended }

    /// An element when the server should end.
    let stops: AsyncStream<Void>
    /// An element for a signal, or for several that came while nobody took the last one: the configuration that is read
    /// then is newer than all of them.
    let reloads: AsyncStream<Void>
    private let phase = Locked(Phase.serving)
    private let sources = Locked<[any DispatchSourceSignal]>([])

    /// Returns once the signals are caught.
    ///
    /// - Parameter exit: ends the process at once.
    init(
        stopping: [Int32] = [SIGTERM, SIGINT], reloading: Int32 = SIGHUP,
        exit: @escaping @Sendable () -> Void = { _exit(1) }
    ) async {
        let stop: AsyncStream<Void>.Continuation
        let reload: AsyncStream<Void>.Continuation
        (stops, stop) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (reloads, reload) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        for number in stopping {
            await catchSignal(number) { [phase] in
                switch phase.withLock({ $0 }) {
                case .serving: stop.yield()
                case .ending: exit()
                case .ended: break
                }
            }
        }
        await catchSignal(reloading) { reload.yield() }
    }

    /// From now on a signal that stops ends the process at once: somebody does not want to wait.
    func exitAtNextStop() {
        phase.withLock { $0 = .ending }
    }

    /// From now on signals do nothing: the process is about to end well.
    func ignoreAll() {
        phase.withLock { $0 = .ended }
    }

    private func catchSignal(_ number: Int32, _ handler: @escaping @Sendable () -> Void) async {
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { handler() }
        await withCheckedContinuation { continuation in
            source.setRegistrationHandler { continuation.resume() }
            source.activate()
        }
        sources.withLock { $0.append(source) }
    }
}
