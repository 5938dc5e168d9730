internal import SQLiteStorage

extension MigrationPlan {
    /// The migrations that were applied to a data directory, or would be.
    func sentence(_ directory: String, isApplied: Bool) -> String {
        guard !pending.isEmpty else { return "\(directory) is up to date at migration \(version)" }
        let what = isApplied ? "applied" : "would apply"
        let lines =
            pending.map { "\(what) \($0)" } + [
                "\(directory) \(isApplied ? "was" : "is") at migration \(version), "
                    + "\(isApplied ? "is now" : "would be") at \(version + pending.count)"
            ]
        return lines.joined(separator: "\n")
    }
}
