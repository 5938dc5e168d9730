internal import Locks
internal import Logging
internal import Possession

/// Warns at most once a minute of a fault that every call may cause, and names the setting that fixes it.
///
/// A caller may choose the value in the line, so a stranger can at most fill one line a minute.
final class RareWarning: Sendable {
    private let logger: Logger
    private let message: Logger.Message
    /// The name of the value in the line.
    private let name: String
    private let quietUntil = Locked(Timestamp(milliseconds: .min))

    /// The longest host name (RFC 1035 section 2.3.4) with a port.
    private static let maxBytes = 259

    private init(_ logger: Logger, _ message: Logger.Message, name: String) {
        self.logger = logger
        self.message = message
        self.name = name
    }

    /// Warns of calls to host names that are not the server's.
    static func foreignName(_ logger: Logger) -> RareWarning {
        RareWarning(
            logger,
            "calls to a host name that is not this server's are answered 421; if callers use it, add it to server.hostNames",
            name: "host")
    }

    /// Warns of calls that a trusted proxy forwards without the client's address.
    static func silentProxy(_ logger: Logger) -> RareWarning {
        RareWarning(
            logger,
            """
            a proxy in server.trustedProxies forwards calls without an address in X-Forwarded-For: all its callers count as one \
            in every limit. Have it send that field; Forwarded, X-Real-IP and Via are not read
            """,
            name: "proxy")
    }

    /// - Parameter value: visible ASCII characters.
    func note(_ value: String, at now: Timestamp) {
        guard value.utf8.count <= Self.maxBytes else { return }
        let isDue = quietUntil.withLock { quietUntil in
            guard now >= quietUntil else { return false }
            quietUntil = now.adding(.seconds(60))
            return true
        }
        guard isDue else { return }
        logger.warning(message, metadata: [name: "\(value)"])
    }
}
