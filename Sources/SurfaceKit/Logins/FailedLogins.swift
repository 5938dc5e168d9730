internal import Locks
internal import Possession

/// Failed token calls in the audit log: so few a minute that nobody fills the disk by asking, for each API client apart, so
/// that nobody hides the failures of one behind others. An entry after some that were left out tells how many.
final class FailedLogins: Sendable {
    private struct Count {
        var entries = 0
        var leftOut = 0
    }

    private struct Minute {
        var number: Int64 = 0
        /// Under `nil`, names that are no client's. There are as many others as there are clients.
        var counts: [ClientID?: Count] = [:]
    }

    /// The limit for one API client.
    private static let entriesAMinute = 3
    /// The limit for all names that are no client's.
    private static let strangersAMinute = 1

    private let audit: any AuditLog
    private let minute = Locked(Minute())

    init(_ audit: any AuditLog) {
        self.audit = audit
    }

    /// - Parameters:
    ///   - client: whose secret was wrong; `nil`: there is no such API client.
    ///   - now: the engine's clock, which entries go by.
    ///   - systemNow: the machine's, which the minutes go by.
    func note(client: ClientID?, address: String?, requestID: String, at now: Timestamp, _ systemNow: Timestamp) {
        guard let leftOut = take(client, systemNow.milliseconds / 60_000) else { return }
        audit.submit(
            AuditEntry(
                .loginFailed, by: .anonymous, at: now, result: .refused, client: client, address: address,
                requestID: requestID, detail: leftOut > 0 ? [("leftOutBefore", String(leftOut))] : []))
    }

    /// How many were left out before this one; `nil`: it is left out too.
    private func take(_ client: ClientID?, _ number: Int64) -> Int? {
        minute.withLock { minute in
            if minute.number != number {
                minute.number = number
                minute.counts = minute.counts.filter { $0.value.leftOut > 0 }.mapValues { Count(leftOut: $0.leftOut) }
            }
            var count = minute.counts[client] ?? Count()
            defer { minute.counts[client] = count }
            guard count.entries < (client == nil ? Self.strangersAMinute : Self.entriesAMinute) else {
                count.leftOut += 1
                return nil
            }
            count.entries += 1
            defer { count.leftOut = 0 }
            return count.leftOut
        }
    }
}
