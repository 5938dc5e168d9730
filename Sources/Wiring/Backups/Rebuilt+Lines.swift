internal import Backups
internal import Engine
internal import Possession
internal import Storage

extension Rebuilding.Rebuilt {
    /// The result of a restore or a drill, in lines for the operator.
    /// - Parameter directory: the data directory.
    func lines(isDrill: Bool, _ directory: String, _ seconds: Double) -> [String] {
        let tenths = Int(seconds * 10)
        var lines = notes
        lines += [
            "backup of \(manifest.madeAt.rfc3339), by version \(manifest.program), migration \(manifest.migration)",
            "\(manifest.databaseBytes) bytes and \(manifest.rows) rows in \(manifest.tables.count) tables, as noted; every page and index is sound",
        ]
        lines += revocation.lines(isDrill: isDrill)
        guard !isDrill else {
            return lines + ["the drill took \(tenths / 10).\(tenths % 10) seconds, and left nothing behind"]
        }
        return lines + [
            "restored to \(directory) in \(tenths / 10).\(tenths % 10) seconds. Whatever changed after \(manifest.madeAt.rfc3339) is gone. Do again what counts:"
        ] + RestoredStore.Revocation.tasks
    }
}
