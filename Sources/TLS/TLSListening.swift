package import HTTPServer
internal import Locks

/// The TLS of a listener: transports for its connections, with the certificate of now.
///
///     let tls = try TLSListening(TLSFiles(certificate: "chain.pem", key: "key.pem"), now: seconds)
///     try server.start(on: addresses, over: tls.makeTransport)
///
/// The certificate changes without a connection noticing: those that are open keep the context that they began with.
package final class TLSListening: Sendable {
    private struct State {
        var context: TLSContext
        /// The stamp of the files that were read last, also when they were no good.
        var stamp: TLSFiles.Stamp
        /// How often reading them has begun. Only what was read last comes into use.
        var readings = 0
        /// When the keys of session tickets were made, in seconds since 1970.
        var ticketsSince: Int64
    }

    package let figures = TLSFigures()
    private let files: TLSFiles
    private let check: @Sendable (TLSIdentity) -> String?
    private let state: Locked<State>

    /// How long session tickets are made with the same keys, in seconds. Whoever steals them from memory can read no
    /// older connection of TLS 1.2; those of TLS 1.3 are safe anyway.
    private static let ticketKeySeconds: Int64 = 3600

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - check: why a certificate is not the one that is wanted, and what to do; `nil`: it is.
    /// - Throws: as `TLSIdentity`, also for a certificate that is not valid now, and what `check` says.
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

    /// The certificate of now.
    package var identity: TLSIdentity { context.identity }

    /// Makes the transport of a connection.
    package var makeTransport: Server.MakeTransport {
        { TLSTransport($0, self.context, self.figures) }
    }

    /// Reads the files again, for connections from now on.
    ///
    /// - Throws: as `init`; then everything stays as it was.
    package func reload(now: Int64) throws(TLSFault) {
        // Before the files are read: what changes while they are is read once more.
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

    /// Reads files again that have changed, and gives session tickets new keys when theirs are old.
    ///
    /// - Returns: whether there is another certificate now.
    /// - Throws: as `init`, once for each change of the files; then everything stays as it was.
    package func everyMinute(now: Int64) throws(TLSFault) -> Bool {
        let (context, known, since) = state.withLock { ($0.context, $0.stamp, $0.ticketsSince) }
        guard TLSFiles.Stamp(files) == known else {
            try reload(now: now)
            return true
        }
        // A clock that was set back counts as time that has passed.
        if now - since >= TLSListening.ticketKeySeconds || now < since {
            try renewTicketKeys(of: context, now: now)
        }
        return false
    }

    /// The context of now.
    var context: TLSContext { state.withLock { $0.context } }

    /// Gives session tickets new keys, unless another context than `context` is in use by then.
    ///
    /// Where clients show certificates there are no tickets, and nothing to do: to read the authorities again would
    /// take them without the certificate that they came with.
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
