internal import SQLiteStorage

extension MigrationPlan {
    /// The migrations that were applied to a data directory, or would be.
    func sentence(_ directory: String, isApplied: Bool) -> String {
        Self.sentence(directory, from: version, pending, isApplied: isApplied)
    }

    /// - Parameters:
    ///   - database: its name for the operator.
    ///   - version: number of the last migration that it had.
    ///   - pending: names of the migrations after that.
    static func sentence(_ database: String, from version: Int, _ pending: [String], isApplied: Bool) -> String {
        guard !pending.isEmpty else { return "\(database) is up to date at migration \(version)" }
        let what = isApplied ? "applied" : "would apply"
        let lines =
            pending.map { "\(what) \($0)" } + [
                "\(database) \(isApplied ? "was" : "is") at migration \(version), "
                    + "\(isApplied ? "is now" : "would be") at \(version + pending.count)"
            ]
        return lines.joined(separator: "\n")
    }
}
