internal import Locks
internal import Engine
internal import Possession

/// Records failed token calls in the audit log, with a limit for each minute and API client. So attackers can neither
/// fill the disk nor hide one client's failures behind another's. The next entry after omitted ones has their number.
final class FailedLogins: Sendable {
    private struct Count {
        var entries = 0
        var leftOut = 0
    }

    private struct Minute {
        var number: Int64 = 0
        /// `nil` counts all names that no client has. So there are at most as many counts as clients, and one.
        var counts: [ClientID?: Count] = [:]
    }

    /// The limit for one API client.
    private static let entriesAMinute = 3
    /// The limit for all names that no client has, together.
    private static let strangersAMinute = 1

    private let audit: any AuditLog
    private let minute = Locked(Minute())

    init(_ audit: any AuditLog) {
        self.audit = audit
    }

    /// - Parameters:
    ///   - client: the client whose secret was wrong; `nil`: no client has the name.
    ///   - now: the engine's clock, for the entry.
    ///   - systemNow: the machine's clock, for the minute.
    func note(client: ClientID?, address: String?, requestID: String, at now: Timestamp, _ systemNow: Timestamp) {
        guard let leftOut = take(client, systemNow.milliseconds / 60_000) else { return }
        audit.submit(
            AuditEntry(
                .loginFailed, by: .anonymous, at: now, result: .refused, client: client, address: address,
                requestID: requestID, detail: leftOut > 0 ? [("leftOutBefore", String(leftOut))] : []))
    }

    /// The number of entries omitted before this one; `nil`: this one is omitted, too.
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
