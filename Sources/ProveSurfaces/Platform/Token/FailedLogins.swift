internal import Locks
internal import Possession

/// Failed token calls in the audit log: at most so many a minute, so that nobody fills the disk by asking. An entry after
/// some that were left out tells how many.
final class FailedLogins: Sendable {
    private struct Minute {
        var number: Int64 = 0
        var entries = 0
        var leftOut = 0
    }

    private static let entriesAMinute = 30

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
        let number = systemNow.milliseconds / 60_000
        let leftOut = minute.withLock { minute -> Int? in
            if minute.number != number { minute = Minute(number: number, leftOut: minute.leftOut) }
            guard minute.entries < Self.entriesAMinute else {
                minute.leftOut += 1
                return nil
            }
            minute.entries += 1
            defer { minute.leftOut = 0 }
            return minute.leftOut
        }
        guard let leftOut else { return }
        audit.submit(
            AuditEntry(
                .loginFailed, by: .anonymous, at: now, result: .refused, client: client, address: address,
                requestID: requestID, detail: leftOut > 0 ? [("leftOutBefore", String(leftOut))] : []))
    }
}
