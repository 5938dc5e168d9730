package import HTTPServer
internal import Locks

/// The TLS of a listener: makes transports for its connections, with the current certificate.
///
///     let tls = try TLSListening(TLSFiles(certificate: "chain.pem", key: "key.pem"), now: seconds)
///     try server.start(on: addresses, over: tls.makeTransport)
///
/// Replacing the certificate does not affect open connections: they keep the context that they began with.
package final class TLSListening: Sendable {
    private struct State {
        var context: TLSContext
        /// The stamp of the files that were read last, even if they could not be used.
        var stamp: TLSFiles.Stamp
        /// Number of readings begun. Only the result of the latest reading is used.
        var readings = 0
        /// When the keys of session tickets were made, in seconds since 1970.
        var ticketsSince: Int64
    }

    package let figures = TLSFigures()
    private let files: TLSFiles
    private let check: @Sendable (TLSIdentity) -> String?
    private let state: Locked<State>

    /// How long the same keys encrypt session tickets, in seconds. An attacker who steals the keys from memory cannot
    /// decrypt TLS 1.2 connections that are older than the keys; TLS 1.3 connections are safe in any case.
    private static let ticketKeySeconds: Int64 = 3600

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - check: why a certificate is not the expected one, and how to fix it; `nil`: it is the expected one.
    /// - Throws: as `TLSIdentity`; also if the certificate is not valid now, or `check` refuses it.
    package init(
        _ files: TLSFiles, now: Int64, check: @escaping @Sendable (TLSIdentity) -> String? = { _ in nil }
    ) throws(TLSFault) {
        self.files = files
        self.check = check
        let stamp = TLSFiles.Stamp(files)
        state = Locked(State(context: try TLSListening.context(files, now, check), stamp: stamp, ticketsSince: now))
    }

    private static func context(
        _ files: TLSFiles, _ now: Int64, _ check: (TLSIdentity) -> String?
    ) throws(TLSFault) -> TLSContext {
        let identity = try TLSIdentity(files)
        try identity.checkTime(now)
        if let defect = check(identity) { throw TLSFault(file: .certificate, reason: defect) }
        return try TLSContext(identity, files)
    }

    /// The current certificate.
    package var identity: TLSIdentity { context.identity }

    /// Makes the transport of a connection.
    package var makeTransport: Server.MakeTransport {
        { TLSTransport($0, self.context, self.figures) }
    }

    /// Reads the files again, for new connections.
    ///
    /// - Throws: as `init`; then nothing changes.
    package func reload(now: Int64) throws(TLSFault) {
        // Taken before the files are read: a change during the reading causes another reading.
        let stamp = TLSFiles.Stamp(files)
        let reading = state.withLock {
            $0.stamp = stamp
            $0.readings += 1
            return $0.readings
        }
        let context = try TLSListening.context(files, now, check)
        state.withLock {
            guard $0.readings == reading else { return }
            $0.context = context
            $0.ticketsSince = now
        }
    }

    /// Reads changed files again, and replaces the keys of session tickets when they are old.
    ///
    /// - Returns: whether the certificate was replaced.
    /// - Throws: as `init`, once for each change of the files; then nothing changes.
    package func everyMinute(now: Int64) throws(TLSFault) -> Bool {
        let (context, known, since) = state.withLock { ($0.context, $0.stamp, $0.ticketsSince) }
        guard TLSFiles.Stamp(files) == known else {
            try reload(now: now)
            return true
        }
        // A clock that was set back counts as elapsed time.
        if now - since >= TLSListening.ticketKeySeconds || now < since {
            try renewTicketKeys(of: context, now: now)
        }
        return false
    }

    /// The current context.
    var context: TLSContext { state.withLock { $0.context } }

    /// Replaces the keys of session tickets, unless `context` is no longer in use.
    ///
    /// With client certificates there are no tickets, and nothing to do: building a new context would read the
    /// authorities again without the certificate that belongs to them.
    func renewTicketKeys(of context: TLSContext, now: Int64) throws(TLSFault) {
        guard files.clientAuthorities == nil else { return }
        let fresh = try TLSContext(context.identity, files)
        state.withLock {
            guard $0.context === context else { return }
            $0.context = fresh
            $0.ticketsSince = now
        }
    }
}
