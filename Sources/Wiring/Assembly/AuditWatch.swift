internal import Administration
internal import Locks
internal import Logging
internal import Engine
internal import Possession
internal import Storage
internal import Text

/// Maintains the audit log: records the start of the server, writes the newest entry to the server's log, and removes
/// old entries.
struct AuditWatch: Sendable {
    private let table: AuditTable
    private let retention: Duration
    private let now: Now
    private let logger: Logger
    /// The number of the newest entry that was written to the server's log.
    private let told = Locked<Int64>(0)

    /// A sweep removes a limited number of entries. The rest waits for the next round.
    private static let maxSweepsInARow = 100

    init(_ table: AuditTable, keptFor retention: Duration, now: @escaping Now, logger: Logger) {
        self.table = table
        self.retention = retention
        self.now = now
        self.logger = logger
    }

    /// Checks both ends of the log, and adds an entry for the start. If the store refuses, for example on a full disk,
    /// the server starts anyway.
    func begin(_ mode: Configuration.Mode, _ consent: StartConsent) async {
        var detail = [("version", BuildInfo.version), ("mode", mode.rawValue)]
        let accepted = consent.words
        if !accepted.isEmpty { detail.append(("accepted", accepted.joined(separator: ","))) }
        do {
            if try await !table.ends().isAuthentic {
                logger.error(
                    "the ends of the audit log were changed by a program without the master key, and `audit verify` will say so from now on: compare the log with an export"
                )
            }
            try await table.add(AuditEntry(.serverStarted, by: .server, at: now(), detail: detail))
        } catch { logger.error("the start is not in the audit log", metadata: ["fault": "\(error)"]) }
    }

    /// Writes the newest entry to the server's log, unless it is already there. An operator who keeps that log
    /// elsewhere can then check that the audit log was not changed (`audit verify --expect`).
    func reportNewest() async {
        guard let ends = try? await table.ends().0 else { return }
        let isNews = told.withLock { told in
            defer { told = ends.last }
            return told != ends.last
        }
        guard isNews, ends.last > 0 else { return }
        logger.notice(
            "the audit log's newest entry", metadata: ["entry": "\(ends.last):\(Hex.text(ends.lastHash))"])
    }

    /// - Parameter now: a time that has proven trustworthy.
    func sweep(_ now: Timestamp) async throws(StorageFault) {
        for _ in 0..<Self.maxSweepsInARow {
            guard try await table.sweepAudit(before: now.adding(.zero - retention), at: now) > 0 else { return }
        }
    }
}
