/// What the operator has agreed to for this start, each by a flag of `serve`.
package struct StartConsent: Sendable {
    /// Begin with nothing where the database was lost.
    package var emptyDatabase = false
    /// Believe the machine's clock although it is behind the time of the last run: what had expired may be back.
    package var clock = false
    /// Go on although commits that were acknowledged are missing.
    package var lostCommits = false

    package init() {}
}
