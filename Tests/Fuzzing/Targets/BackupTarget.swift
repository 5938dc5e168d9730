@testable import Backups

extension FuzzTarget {
    /// Headers and manifests of backups. The first byte says which of the two it is.
    static let backups = FuzzTarget("backups", maxBytes: 4096) { bytes in
        var choices = Choices(bytes)
        let isHeader = choices.number(below: 2) == 0
        let part = Array(choices.rest)
        if isHeader {
            guard let header = try? BackupHeader(part) else { return }
            require(header.bytes == part, "a header is written in one way")
        } else {
            guard let manifest = BackupManifest(part) else { return }
            require(BackupManifest(manifest.bytes) == manifest, "what was read, written again, is the same")
            require(manifest.rows >= 0 && manifest.databaseBytes >= 0, "no count is negative")
        }
    }
}
