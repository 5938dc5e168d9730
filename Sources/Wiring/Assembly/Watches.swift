internal import Tokens
internal import Administration
internal import Clocks
internal import Locks
internal import Observation

/// Parts that monitor the server: damage to the database, faults of the machine, readiness.
struct Watches: Sendable {
    /// `nil`: the engine checks the database itself.
    let integrity: IntegrityWatch?
    let faults: FaultWatch
    let readiness: Readiness

    /// - Parameters:
    ///   - isDraining: whether the server is stopping.
    ///   - onFatal: called once if it is unknown what is on the disk. The process must end.
    init(
        _ ground: StartContext, clock: ForwardClock, sink: LogSink, isDraining: Locked<Bool>,
        onFatal: @escaping @Sendable (String) -> Void
    ) async throws(StartFault) {
        let (database, tokens, now) = (ground.store.watched, ground.tokens, ground.environment.now)
        let integrity: IntegrityWatch?
        do {
            integrity = try await database.integrityWatch(wall: { SystemClock.now() }, logger: ground.logger)
        } catch { throw .failed("storage: \(error)") }
        self.integrity = integrity
        let isDamaged = { @Sendable in integrity?.isDamaged ?? false }
        faults = FaultWatch(
            database, clock: clock, mark: ground.store.clockMark, sink: sink, logger: ground.logger,
            isDamaged: isDamaged, onFatal: onFatal)
        readiness = Readiness(
            database, signs: { tokens.signs(at: now()) }, isDamaged: isDamaged, isDraining: isDraining,
            logger: ground.logger, wall: { clock.now() })
    }
}
