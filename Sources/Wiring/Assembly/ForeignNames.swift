internal import Locks
internal import Logging
internal import Possession

/// Warns of calls to host names that are not the server's, at most once a minute, and says which setting takes a name.
///
/// A caller chooses the name: a stranger can fill the one line of a minute, and no more.
final class ForeignNames: Sendable {
    private let logger: Logger
    private let quietUntil = Locked(Timestamp(milliseconds: .min))

    /// The longest name of a host (RFC 1035 section 2.3.4) with a port.
    private static let maxBytes = 259

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Parameter authority: of visible ASCII characters, as `Host` may have them.
    func note(_ authority: String, at now: Timestamp) {
        guard authority.utf8.count <= Self.maxBytes else { return }
        let isDue = quietUntil.withLock { quietUntil in
            guard now >= quietUntil else { return false }
            quietUntil = now.adding(.seconds(60))
            return true
        }
        guard isDue else { return }
        logger.warning(
            "calls to a host name that is not this server's are answered 421; if callers use it, add it to server.hostNames",
            metadata: ["host": "\(authority)"])
    }
}
