import Glibc
import Locks
import Testing

@testable import Wiring

/// With signals that nobody else uses: each is sent to the whole process of the tests.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ProcessSignalsTests {
    /// The first element, after something has been done.
    private func element(of stream: AsyncStream<Void>, after send: () -> Void) async -> Void? {
        send()
        for await element in stream { return element }
        return nil
    }

    @Test func `tells a signal to stop from one to reload`() async {
        let signals = await ProcessSignals(stopping: [SIGUSR1], reloading: SIGUSR2)
        #expect(await element(of: signals.reloads) { kill(getpid(), SIGUSR2) } != nil)
        #expect(await element(of: signals.stops) { kill(getpid(), SIGUSR1) } != nil)
        signals.ignoreAll()
    }

    @Test func `ends the process at a second signal`() async {
        let (exits, exited) = AsyncStream.makeStream(of: Void.self)
        let signals = await ProcessSignals(stopping: [SIGUSR1], reloading: SIGUSR2) { exited.yield() }
        #expect(await element(of: signals.stops) { kill(getpid(), SIGUSR1) } != nil)
        signals.exitAtNextStop()
        #expect(await element(of: exits) { kill(getpid(), SIGUSR1) } != nil)
        signals.ignoreAll()
    }
}
