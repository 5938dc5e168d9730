internal import Dispatch
internal import Glibc
internal import Locks

/// Handles signals until the process ends: SIGTERM and SIGINT stop it, SIGHUP reads the configuration again.
///
/// The signal sources exist until the process is gone. Without its source, a signal would kill the process while it is
/// stopping.
final class ProcessSignals: Sendable {
    private enum Phase { case serving, ending, ended }

    /// Delivers an element when the server should stop.
    let stops: AsyncStream<Void>
    /// Delivers one element for all signals since the previous element. The configuration that is read then is newer
    /// than all of these signals.
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

    /// From now on a stop signal ends the process at once, because an operator does not want to wait.
    func exitAtNextStop() {
        phase.withLock { $0 = .ending }
    }

    /// From now on signals are ignored, because the process is about to end normally.
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
