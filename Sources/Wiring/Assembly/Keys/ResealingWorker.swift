internal import Clocks
internal import Logging
internal import Engine
internal import Possession
internal import Storage
internal import Tokens

/// Seals all stored values with the current sealing key, from the start and in the background. Removes older sealing
/// keys once no value needs them (DAT-03).
///
///     rotation       all servers seal with it    settled        clean pass
///        |--------------------|--------------------|--------------|  the old key is removed
///        |--------- pass, pass, ...
///
/// A server that is slow to read the keyset again still seals with the old key. The values that it stores after the last
/// pass could never be opened. So the wait begins when all servers have read the keyset, not at the rotation.
struct ResealingWorker: Sendable {
    /// The wait after all servers use a key. By then every value that a request sealed with an older one is stored.
    static let settling = Duration.seconds(60)
    private static let interval = Duration.seconds(60)
    /// The time between two passes if only rows that cannot be opened are left.
    private static let longInterval = Duration.seconds(3600)

    private let keysets: KeysetKeeper
    private let duties: DutiesTable
    private let resealer: Resealer
    private let progress: ResealProgress
    private let logger: Logger
    private let audit: any AuditLog
    private let uptime: @Sendable () -> ContinuousClock.Instant
    /// The generation at the start. No request of this process has used an older one.
    private let generation: UInt8
    /// Returns when all servers use the current key; `nil`: there are no others.
    private let waitForServers: (@Sendable () async throws(StorageFault) -> Void)?

    init(
        _ keysets: KeysetKeeper, _ duties: DutiesTable,
        waitForServers: (@Sendable () async throws(StorageFault) -> Void)?, _ resealer: Resealer,
        _ progress: ResealProgress, _ logger: Logger, _ audit: any AuditLog,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.keysets = keysets
        self.duties = duties
        self.waitForServers = waitForServers
        self.resealer = resealer
        self.progress = progress
        self.logger = logger
        self.audit = audit
        self.uptime = uptime
        generation = keysets.sealer.generation
    }

    /// Works until its task is cancelled.
    func run() async {
        var state = Round(generation: generation, olderKeys: waitForServers == nil ? .unused : .inUse)
        while !Task.isCancelled {
            let due = uptime() + (await round(&state))
            // Check every second, so that a rotation need not wake this task.
            while uptime() < due, keysets.sealer.generation == state.generation {
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
    }

    /// Use of the older keys for new values.
    enum OlderKeys: Equatable {
        /// Before this process, and no request holds a value of them.
        case unused
        /// A server may still seal with one.
        case inUse
        /// Since then all servers seal with the current key.
        case left(ContinuousClock.Instant)
    }

    /// The state that is kept between rounds.
    struct Round {
        /// The generation that was current in the last round.
        var generation: UInt8
        /// The generations before it.
        var olderKeys = OlderKeys.unused
        /// Whether the beginning was logged.
        var isTold = false
        var unreadable = 0
    }

    /// Makes one pass if there is work. Returns the wait before the next round.
    func round(_ state: inout Round) async -> Duration {
        let standing: KeysetKeeper.Standing
        do { standing = try keysets.standing() } catch { return Self.interval }
        if state.generation != standing.generation {
            state.olderKeys = .inUse
            state.generation = standing.generation
            state.isTold = false
        }
        guard !standing.olderGenerations.isEmpty else { return Self.interval }
        do throws(StorageFault) {
            guard try await duties.take(.sweep) else { return Self.interval }
            if state.olderKeys == .inUse, await allServersFollow() { state.olderKeys = .left(uptime()) }
            try await begin(standing, &state)
            let begun = uptime()
            guard let pass = try await resealer.pass(progress: { progress.resealed($0) }) else { return Self.interval }
            guard pass.isClean else { return pass.resealed > 0 ? .zero : .seconds(1) }
            return await end(pass, begun, standing, &state)
        } catch {
            logger.warning("re-sealing stopped, and goes on", metadata: ["fault": "\(error)"])
            return Self.interval
        }
    }

    /// Waits until all servers seal with the current key. Passes do not depend on it.
    private func allServersFollow() async -> Bool {
        guard let waitForServers else { return true }
        do throws(StorageFault) {
            try await waitForServers()
            return true
        } catch {
            logger.warning(
                "old sealing keys stay until all servers use the new one", metadata: ["fault": "\(error)"])
            return false
        }
    }

    private func begin(_ standing: KeysetKeeper.Standing, _ state: inout Round) async throws(StorageFault) {
        if state.isTold { return }
        guard let left = try await resealer.count() else { return }
        progress.counted(left, of: standing.generation)
        logger.notice(
            "re-sealing begins",
            metadata: ["generation": "\(standing.generation)", "values": "\(left)"])
        state.isTold = true
    }

    /// Called after a pass that found nothing to seal.
    private func end(
        _ pass: Resealer.Pass, _ begun: ContinuousClock.Instant, _ standing: KeysetKeeper.Standing,
        _ state: inout Round
    ) async -> Duration {
        progress.ended(unreadable: pass.left)
        if pass.left != state.unreadable || !pass.unread.isEmpty {
            logger.error(
                "sealed values cannot be opened and are left: restore a backup, or remove them",
                metadata: ["values": "\(pass.left)", "columns": "\(pass.unread.joined(separator: ","))"])
        }
        state.unreadable = pass.left
        // Values behind a damaged page may be sealed with any key.
        if !pass.unread.isEmpty { return Self.longInterval }
        switch state.olderKeys {
        case .unused: break
        case .inUse: return Self.interval
        case .left(let since): if begun < since + Self.settling { return since + Self.settling - begun }
        }
        do throws(KeysetFault) {
            let gone = try await retire(standing, keeping: Set(pass.unreadable.keys))
            guard !gone.isEmpty else { return Self.longInterval }
            logger.notice(
                "re-sealing ended, old sealing keys were removed",
                metadata: ["generation": "\(standing.generation)", "removed": "\(gone)"])
            return Self.interval
        } catch {
            logger.warning("old sealing keys were not removed", metadata: ["reason": "\(error.advice)"])
            // Only a start with the other master key can change this.
            if case .masterWaits = error { return Self.longInterval }
            return Self.interval
        }
    }

    /// Removes older sealing keys, with an entry in the audit log.
    private func retire(
        _ standing: KeysetKeeper.Standing, keeping numbers: Set<UInt8>
    ) async throws(KeysetFault) -> [UInt8] {
        let ending = standing.olderGenerations.filter { !numbers.contains($0) }.map(String.init)
        let entry = AuditEntry(
            .sealingKeyEnded, by: .server, at: SystemClock.now(),
            detail: [("generations", ending.joined(separator: ",")), ("now", String(standing.generation))])
        return try await audit.recordingChange(entry) { () async -> Result<[UInt8], KeysetFault> in
            do throws(KeysetFault) {
                return .success(try await keysets.retireSealing(before: standing.generation, keeping: numbers))
            } catch { return .failure(error) }
        }.get()
    }
}
