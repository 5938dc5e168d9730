/// Applies every rule in the same way for all callers.
extension SessionChange {
    /// Applies one rule: expires what is due, applies `rule`, binds a pending key to a number that was just proven,
    /// ends the runs of failures that the proof ends, and counts the revision.
    /// - Parameter freshDeviceID: for a key that has no id yet.
    /// - Throws: the error of `rule`. Then only expiries have changed the session, and limits that were hit stay
    ///   recorded.
    package mutating func apply<Outcome, Refusal: Error>(
        at now: Timestamp, limits: Limits, freshDeviceID: DeviceID,
        _ rule: (inout SessionChange) throws(Refusal) -> Outcome
    ) throws(Refusal) -> Outcome {
        session.expire(at: now)
        let settled = self
        let outcome: Outcome
        do throws(Refusal) { outcome = try rule(&self) } catch {
            let hits = tallies.hits
            self = settled
            for hit in hits { tallies.note(hit.limit, hit.number, asker: hit.asker) }
            throw error
        }
        if settled.session.proof == nil {
            // Only in the change that proved the number: no later change may bind a key to it.
            bindPendingKey(freshDeviceID: freshDeviceID, at: now)
            endRunsOfProof(limits: limits, at: now)
        }
        session.countRevision(since: settled.session)
        assert(
            session.brokenInvariant(since: settled.session) == nil,
            "a rule broke: \(String(describing: session.brokenInvariant(since: settled.session)))")
        return outcome
    }
}
