internal import Administration
internal import Logging
internal import Possession
internal import SQLiteStorage
internal import Sandbox

/// What a sandbox plays, for those who steer it and look at it.
struct PlayedWorld: Sendable {
    let clock: OffsetClock
    let inbox: InMemoryInbox
    /// The sandbox users of now.
    let userList: SandboxUserList
    fileprivate let carrier: ScriptedCarrier

    init(clock: OffsetClock, inbox: InMemoryInbox, userList: SandboxUserList, carrier: ScriptedCarrier) {
        self.clock = clock
        self.inbox = inbox
        self.userList = userList
        self.carrier = carrier
    }

    /// Sets the clock as it was at the last stop: what had expired before a restart stays so.
    func restoreClock(from table: SandboxClockTable) async throws(StartFault) {
        do throws(StorageFault) { _ = clock.advance(seconds: try await table.offsetSeconds()) } catch {
            throw .failed("storage: \(error)")
        }
    }

    /// Users whose script says so answer their links from now on.
    func answerLinks(by engine: Engine, _ logger: Logger) {
        carrier.answerLinks { token, approves in
            do { try await LinkService(engine).answer(token, approves: approves) } catch {
                logger.warning("a link that its user answers: \(error)")
            }
        }
    }
}
