/// How every rule is applied, whoever asked for it.
extension SessionChange {
    /// Applies one rule: expires what is due, applies `rule`, binds a pending key to a number that was just proven, ends
    /// the runs of failures that the proof ends, and counts the revision.
    /// - Parameter freshDeviceID: for a key that has no id yet.
    /// - Throws: what `rule` threw. Nothing has changed then but what time had ended, and the limits that were hit stay
    ///   noted.
    package mutating func apply<Outcome, Refusal: Error>(
        at now: Timestamp, limits: Limits, freshDeviceID: DeviceID,
        _ rule: (inout SessionChange) throws(Refusal) -> Outcome
    ) throws(Refusal) -> Outcome {
        session.settle(at: now)
        let settled = self
        let outcome: Outcome
        do throws(Refusal) { outcome = try rule(&self) } catch {
            let hits = tallies.hits
            self = settled
            for hit in hits { tallies.note(hit.limit, hit.number, asker: hit.asker) }
            throw error
        }
        if settled.session.proof == nil {
            // Only in the change that proved the number: nothing that comes later may bind a key to it.
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
