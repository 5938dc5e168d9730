internal import SurfaceKit
internal import Administration
internal import Clocks
internal import Locks
internal import HTTPServer
internal import Logging
internal import Observation
internal import Possession
internal import SQLiteStorage
internal import Text
internal import Tokens

/// Work of the server beside answering: it forgets what has outlived its time, gives old signing keys successors,
/// and looks up figures that take too long for a scrape.
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
    /// The API client of the app surface; `nil` without one.
    let appClient: ClientID?
    /// 0: never.
    let rotationDays: Int
    /// 0: never.
    let sealingRotationDays: Int
    /// The time of sessions where things may be removed by it; `nil`: the clock has yet to prove true.
    let timeToRemoveBy: @Sendable () -> Timestamp?
    let faults: FaultWatch
    let access: AccessLog?
    /// `nil`: callers speak plain HTTP.
    let tls: PublicTLS?
    let logger: Logger

    private static let interval = Duration.seconds(1)
    /// Every so many rounds of `interval`.
    private static let roundsBetweenSamples = 5
    private static let roundsBetweenSweeps = 60
    private static let roundsInAnHour = 3600
    /// A sweep removes a bounded number of rows, and requests commit between two of them. So many in a row keep up with
    /// thousands of sessions a second; the rest waits for the next round.
    private static let maxSweepsInARow = 2_000

    func run() async {
        var round = 0
        while true {
            do { try await Task.sleep(for: Upkeep.interval) } catch { return }
            round += 1
            await faults.look(shed: server.statistics().shed)
            access?.tellLeftOut()
            await forgetTemporaryKeys()
            if round % Upkeep.roundsBetweenSamples == 0 { await everyFiveSeconds() }
            if round % Upkeep.roundsBetweenSweeps == 0 { await everyMinute() }
            if round % Upkeep.roundsInAnHour == 0 { await audit.tellNewest() }
        }
    }

    /// Nothing of a temporary key that has ended stays, so that nobody can open old calls later.
    private func forgetTemporaryKeys() async {
        do { try await store.devices.forgetEndedTemporaryKeys(at: SystemClock.now()) } catch {
            logger.warning("secrets of temporary keys were not erased", metadata: ["fault": "\(error)"])
        }
    }

    func everyFiveSeconds() async {
        process.sample()
        refusals.look(server.statistics(), streams: places.figures.refused)
        server.releaseSpareMemory()
        do {
            let tenants = try await store.tenants.load().filter { $0.revokedAt == nil }
            origins.withLock { $0 = Set(tenants.flatMap(\.rules.allowedOrigins).map { ByteText($0) }) }
        } catch { logger.warning("origins were not read", metadata: ["fault": "\(error)"]) }
    }

    /// Says what to do while the app surface has no API client that may call.
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
        guard let now = timeToRemoveBy() else { return }
        do {
            for _ in 0..<Upkeep.maxSweepsInARow {
                guard try await store.sessions.sweep(sessionsBefore: now.adding(.zero - kept), now: now) > 0 else {
                    break
                }
            }
            for _ in 0..<Upkeep.maxSweepsInARow
            where try await store.refusedStarts.sweepRefusedStarts(before: now.adding(.zero - kept)) == 0 { break }
            // Once nobody may read their result any more, sessions that no client ever took go: anybody can start them.
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

    /// - Parameter now: a time that is to be believed.
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
