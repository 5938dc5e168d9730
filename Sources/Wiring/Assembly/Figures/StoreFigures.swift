internal import Glibc
internal import Observation
internal import Engine
internal import Possession
internal import SQLiteStorage
internal import Tokens

/// The size of the database file, the last backup, and the age of each signing key (OPS-06).
struct StoreFigures: Sendable {
    private let tokens: ES256TokenService
    private let databasePath: String
    private let dataDirectory: String
    private let now: Now

    init(_ tokens: ES256TokenService, _ configuration: Configuration, now: @escaping Now) {
        self.tokens = tokens
        dataDirectory = configuration.data.directory
        databasePath = DataDirectory.databasePath(in: configuration.data.directory)
        self.now = now
    }

    func collect(_ text: inout MetricsText) {
        var status = stat()
        if stat(databasePath, &status) == 0 {
            text.gauge("holdfast_database_bytes", "Size of the database without its log.", Double(status.st_size))
        }
        if let backup = BackupNote.read(in: dataDirectory) {
            text.gauge(
                "holdfast_last_backup_timestamp_seconds", "When the last backup was begun, in seconds since 1970.",
                Double(backup.madeAt.milliseconds) / 1000)
            text.gauge("holdfast_last_backup_bytes", "Size of the last backup.", Double(backup.bytes))
        }
        let now = now()
        for purpose in SigningKeyRecord.Purpose.allCases {
            guard let since = tokens.signerActiveSince(purpose, at: now) else { continue }
            text.gauge(
                "holdfast_signing_key_age_seconds", "For how long the key that signs now has done so.",
                Double(max(0, now.milliseconds - since.milliseconds)) / 1000,
                labels: MetricsText.labels([("purpose", purpose.rawValue)]))
        }
    }
}
