internal import SurfaceKit
internal import Administration
internal import Clocks
internal import Locks
internal import HTTPServer
internal import Logging
internal import Observation
internal import Engine
internal import Possession
internal import Storage
internal import Text
internal import Tokens

/// Background work of the server: removes expired data, replaces old signing keys, and collects figures that take too
/// long for a scrape.
struct Upkeep: Sendable {
    let store: Store
    let audit: AuditWatch
    let activations: ActivationSweep
    let administrator: Administrator
    let server: Server
    let refusals: RefusalLog
    let places: WaitingPlaces
    /// Web origins of all API clients.
    let origins: Locked<Set<ByteText>>
    let process: ProcessFigures
    let limits: Possession.Limits
    /// How long events for webhooks are kept.
    let webhookRetention: Duration
    /// The API client of the app surface; `nil`: there is none.
    let appClient: ClientID?
    /// 0: never.
    let rotationDays: Int
    /// 0: never.
    let sealingRotationDays: Int
    /// The time by which data may be removed; `nil`: the clock is not trusted yet.
    let timeToRemoveBy: @Sendable () -> Timestamp?
    let faults: FaultWatch
    let access: AccessLog?
    /// `nil`: callers speak plain HTTP.
    let tls: PublicTLS?
    let logger: Logger

    private static let interval = Duration.seconds(1)
    /// In rounds of `interval`.
    private static let roundsBetweenSamples = 5
    private static let roundsBetweenSweeps = 60
    private static let roundsInAnHour = 3600
    /// A sweep removes a limited number of rows, and requests commit between two sweeps. This many sweeps in a row keep
    /// up with thousands of sessions a second. The rest waits for the next round.
    private static let maxSweepsInARow = 2_000

    func run() async {
        var round = 0
        while true {
            do { try await Task.sleep(for: Upkeep.interval) } catch { return }
            round += 1
            await faults.check(shed: server.statistics().shed)
            access?.reportLeftOut()
            await forgetTemporaryKeys()
            if round % Upkeep.roundsBetweenSamples == 0 { await everyFiveSeconds() }
            if round % Upkeep.roundsBetweenSweeps == 0 { await everyMinute() }
            if round % Upkeep.roundsInAnHour == 0 { await audit.reportNewest() }
        }
    }

    /// Erases the secrets of expired temporary keys, so that recorded calls can never be decrypted later.
    private func forgetTemporaryKeys() async {
        do { try await store.devices.forgetEndedTemporaryKeys(at: SystemClock.now()) } catch {
            logger.warning("secrets of temporary keys were not erased", metadata: ["fault": "\(error)"])
        }
    }

    func everyFiveSeconds() async {
        process.sample()
        refusals.check(server.statistics(), streams: places.figures.refused)
        server.releaseSpareMemory()
        do {
            let tenants = try await store.tenants.load().filter { $0.revokedAt == nil }
            origins.withLock { $0 = Set(tenants.flatMap(\.rules.allowedOrigins).map { ByteText($0) }) }
        } catch { logger.warning("origins were not read", metadata: ["fault": "\(error)"]) }
        do { try await store.erasures.tend() } catch {
            logger.warning("orders of ended erasures were not removed", metadata: ["fault": "\(error)"])
        }
    }

    /// Logs the remedy while the app surface has no usable API client.
    func checkAppClient() async {
        guard let appClient else { return }
        do {
            let tenant = try await store.tenants.tenant(appClient)
            guard tenant == nil || tenant?.revokedAt != nil else { return }
            let fault = AppClientFault(appClient, isRevoked: tenant != nil)
            logger.warning("app.clientId: \(fault.description)")
        } catch { logger.warning("the API client of the app was not read", metadata: ["fault": "\(error)"]) }
    }

    func everyMinute() async {
        tls?.everyMinute()
        await checkAppClient()
        let kept = limits.rowLifetime
        guard let now = timeToRemoveBy(), await hasDuty() else { return }
        do {
            for _ in 0..<Upkeep.maxSweepsInARow {
                guard try await store.sessions.sweep(sessionsBefore: now.adding(.zero - kept), now: now) > 0 else {
                    break
                }
            }
            for _ in 0..<Upkeep.maxSweepsInARow
            where try await store.refusedStarts.sweepRefusedStarts(before: now.adding(.zero - kept)) == 0 { break }
            try await store.usedNames.begin(at: store.machineNow())
            for _ in 0..<Upkeep.maxSweepsInARow
            where try await store.usedNames.sweepUsedNames(before: store.machineNow()) == 0 { break }
            // Sessions that no client ever took are removed once their result can no longer be read, because anyone can
            // start such sessions.
            let unread = now.adding(.zero - limits.sessionLifetime - limits.resultLifetime)
            for _ in 0..<Upkeep.maxSweepsInARow
            where try await store.sessions.sweepUnredeemed(before: unread, now: now) == 0 { break }
            let untold = now.adding(.zero - webhookRetention)
            for _ in 0..<Upkeep.maxSweepsInARow where try await store.webhooks.sweepWebhooks(before: untold) == 0 {
                break
            }
            try await activations.run(at: now)
            try await audit.sweep(now)
        } catch { logger.warning("the sweep stopped", metadata: ["fault": "\(error)"]) }
        await careForKeys(now)
    }

    private func hasDuty() async -> Bool {
        do throws(StorageFault) { return try await store.duties.take(.sweep) } catch {
            logger.warning("the duty of the sweep was not read", metadata: ["fault": "\(error)"])
            return false
        }
    }

    /// - Parameter now: a time that has proven trustworthy.
    private func careForKeys(_ now: Timestamp) async {
        do {
            let gone = try await administrator.retireKeys(at: now)
            if gone > 0 {
                logger.notice(
                    "private halves of old signing keys were deleted: they can never sign again",
                    metadata: ["keys": "\(gone)"])
            }
        } catch { logger.error("old signing keys were not deleted", metadata: ["fault": "\(error)"]) }
        if sealingRotationDays > 0 {
            do {
                if try await administrator.rotateSealing(olderThan: .seconds(sealingRotationDays * 86_400)) {
                    logger.notice("the sealing key was rotated, as it was old")
                }
            } catch { logger.error("the sealing key was not rotated", metadata: ["fault": "\(error)"]) }
        }
        guard rotationDays > 0 else { return }
        do { try await administrator.rotateKeys(olderThan: .seconds(rotationDays * 86_400)) } catch {
            logger.error("signing keys were not rotated", metadata: ["fault": "\(error)"])
        }
    }
}
