internal import Locks
internal import Possession
internal import SurfaceKit

/// Assertions that have been taken: each is taken once (RFC 7523 section 3, item 7). In memory: they live for five minutes.
final class UsedAssertions: Sendable {
    /// Only who has a key of an API client adds one.
    private let seen = Locked(ExpiringTable<Void>(capacity: 16_384))

    func isNew(_ assertion: ClientAssertion, at now: Timestamp) -> Bool {
        // Past `exp` it is refused for that; the leeway of that check is well within a minute.
        let end = assertion.expiresAt.adding(.seconds(60))
        let name = assertion.clientID + " " + assertion.jti
        return seen.withLock { seen in
            guard !seen.contains(name, at: now) else { return false }
            seen.insert((), for: name, until: end, at: now)
            return true
        }
    }
}
