/// Risks that the operator has agreed to for this start, each by a flag of `serve`.
package struct StartConsent: Sendable {
    /// Begin with nothing where the database was lost.
    package var emptyDatabase = false
    /// Believe the machine's clock although it is behind the time of the last run: what had expired may be back.
    package var clock = false
    /// Go on although commits that were acknowledged are missing.
    package var lostCommits = false

    package init() {}

    /// The names of the flags that were set, for the audit log.
    var words: [String] {
        [("accept-empty-database", emptyDatabase), ("accept-clock", clock), ("accept-lost-commits", lostCommits)]
            .filter(\.1).map(\.0)
    }
}
