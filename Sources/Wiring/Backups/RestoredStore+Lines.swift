internal import Engine
internal import Possession
internal import Storage

extension RestoredStore.Revocation {
    /// The counts, in lines for the operator.
    func lines(isDrill: Bool) -> [String] {
        let damaged = opened.damaged.values.reduce(0, +)
        var lines = [
            "\(opened.values) sealed values opened\(isDrill ? ", and the signing keys" : "")",
            "\(sessions.ended) open sessions ended, \(taken.messages) waiting messages not sent, \(taken.replies) kept replies removed, \(taken.activations) activations blocked",
        ]
        if damaged > 0 { lines.append("\(damaged) sealed values are damaged; those rows are refused") }
        if sessions.unreadable > 0 {
            lines.append("\(sessions.unreadable) sessions cannot be read; no caller can continue them")
        }
        return lines
    }

    /// Tasks that the operator has to do again.
    static let tasks = [
        "- client secrets that were rotated since: the old ones are valid; rotate them again",
        "- API clients and device keys that were revoked since are valid; revoke them again",
        "- active activations of devices are blocked, because the backup has old counters: people activate again, or you unblock them",
        "- numbers that were erased since are back; erase them again",
        "- test numbers that were removed since pass again; remove them again",
        "- webhook endpoints and domain links that were removed since are back, with the secrets that they had at the time of the backup; remove or rotate them again",
        "- the master key and the sealing key are those of the time of the backup: after a leak, rotate both again (holdfast keys)",
        "- entries of the audit log since then are in exports only",
        "- limits, budgets and closed prefixes are as they were at the time of the backup",
        "- servers that have pinned a signing key must read the JWKS again: the next start makes new ones",
    ]
}
