/// Risks that the operator has accepted for this start, each by a flag of `serve`.
package struct StartConsent: Sendable {
    /// Start with an empty database because the old one was lost.
    package var emptyDatabase = false
    /// Trust the machine's clock although it is behind the time of the last run: expired data may become valid again.
    package var clock = false
    /// Continue although acknowledged commits are missing.
    package var lostCommits = false
    /// Open a PostgreSQL that was restored, to revoke what may have been used since. No flag of `serve` does that.
    var restoredDatabase = false

    package init() {}

    /// The names of the flags in use, for the audit log.
    var words: [String] {
        [("accept-empty-database", emptyDatabase), ("accept-clock", clock), ("accept-lost-commits", lostCommits)]
            .filter(\.1).map(\.0)
    }
}
