internal import Locks

/// The newest timeline that connections of one address have seen. Texts of eight hexadecimal digits sort as their numbers.
final class SharedTimeline: Sendable {
    private let newest = Locked("")

    /// - Returns: false: a newer one was seen.
    func raise(to found: String) -> Bool {
        newest.withLock { newest in
            guard found.utf8.elementsEqual(newest.utf8) || newest.utf8.lexicographicallyPrecedes(found.utf8) else {
                return false
            }
            newest = found
            return true
        }
    }
}
