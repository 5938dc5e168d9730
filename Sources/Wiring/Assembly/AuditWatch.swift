internal import Administration
internal import Locks
internal import Logging
internal import Possession
internal import SQLiteStorage
internal import Text

/// Looks after the audit log: begins it with the start of the server, tells its newest entry to the log of the server, and
/// removes what is too old.
struct AuditWatch: Sendable {
    private let table: AuditTable
    private let retention: Duration
    private let now: Now
    private let logger: Logger
    /// The newest entry that the log of the server has been told.
    private let told = Locked<Int64>(0)

    /// A sweep removes a bounded number of entries; the rest waits for the next round.
    private static let maxSweepsInARow = 100

    init(_ table: AuditTable, keptFor retention: Duration, now: @escaping Now, logger: Logger) {
        self.table = table
        self.retention = retention
        self.now = now
        self.logger = logger
    }

    /// Looks at both ends, and adds an entry for the start. A store that refuses, as on a full disk, keeps no server from
    /// starting.
    func begin(_ mode: Configuration.Mode, _ consent: StartConsent) async {
        var detail = [("version", BuildInfo.version), ("mode", mode.rawValue)]
        let accepted = consent.words
        if !accepted.isEmpty { detail.append(("accepted", accepted.joined(separator: ","))) }
        do {
            if try await !table.ends().isAuthentic {
                logger.error(
                    "the ends of the audit log were changed by somebody without the master key, and `audit verify` will say so from now on: compare the log with an export"
                )
            }
            try await table.add(AuditEntry(.serverStarted, by: .server, at: now(), detail: detail))
        } catch { logger.error("the start is not in the audit log", metadata: ["fault": "\(error)"]) }
    }

    /// A line with the newest entry, unless it was told already. Whoever keeps the log of the server elsewhere can then
    /// tell whether the audit log is still the same (`audit verify --expect`).
    func tellNewest() async {
        guard let ends = try? await table.ends().0 else { return }
        let isNews = told.withLock { told in
            defer { told = ends.last }
            return told != ends.last
        }
        guard isNews, ends.last > 0 else { return }
        logger.notice(
            "the audit log's newest entry", metadata: ["entry": "\(ends.last):\(Hex.text(ends.lastHash))"])
    }

    /// - Parameter now: a time that is to be believed.
    func sweep(_ now: Timestamp) async throws(StorageFault) {
        for _ in 0..<Self.maxSweepsInARow {
            guard try await table.sweepAudit(before: now.adding(.zero - retention), at: now) > 0 else { return }
        }
    }
}
