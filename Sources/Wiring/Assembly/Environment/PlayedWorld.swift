internal import Administration
internal import Logging
internal import Engine
internal import Possession
internal import Storage
internal import Sandbox

/// The simulated world of a sandbox, for the parts that control and inspect it.
struct PlayedWorld: Sendable {
    let clock: OffsetClock
    let inbox: InMemoryInbox
    /// The current sandbox users.
    let userList: SandboxUserList
    fileprivate let carrier: ScriptedCarrier

    init(clock: OffsetClock, inbox: InMemoryInbox, userList: SandboxUserList, carrier: ScriptedCarrier) {
        self.clock = clock
        self.inbox = inbox
        self.userList = userList
        self.carrier = carrier
    }

    /// Sets the clock to the time of the last stop, so that data which had expired stays expired.
    func restoreClock(from table: SandboxClockTable) async throws(StartFault) {
        do throws(StorageFault) { _ = clock.advance(seconds: try await table.offsetSeconds()) } catch {
            throw .failed("storage: \(error)")
        }
    }

    /// From now on messages have consequences: the carrier reports their delivery, and users whose script says so
    /// answer their links.
    func play(with engine: Engine, _ logger: Logger) {
        let receipts = ReceiptService(engine)
        carrier.sendReceipts { end, token, gateway in
            guard let message = receipts.message(of: token, from: gateway) else { return }
            do { try await receipts.take(MessageReceipt(end), for: message, from: gateway) } catch {
                logger.warning("a receipt of a sandbox message: \(error)")
            }
        }
        carrier.answerLinks { token, approves in
            do { try await LinkService(engine, in: .all).answer(token, approves: approves) } catch {
                logger.warning("a link that its user answers: \(error)")
            }
        }
    }

    /// Reports the delivery of delayed messages that have now arrived.
    func sendDueReceipts() async { await carrier.sendDue() }

    /// The same every second until cancelled, because time also passes when no call moves the clock.
    func run() async {
        while true {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
            await sendDueReceipts()
        }
    }
}
