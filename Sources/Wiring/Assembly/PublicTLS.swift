internal import Administration
internal import HTTPServer
internal import Locks
internal import Logging
internal import Observation
internal import TLS
internal import Text

/// TLS of the public listener: its certificate while the server runs, and its warnings and figures for operators.
final class PublicTLS: Sendable {
    private let listening: TLSListening
    private let now: @Sendable () -> Int64
    private let logger: Logger
    /// The time of the last warning that the certificate is about to expire; 0: there was none.
    private let warnedAt = Locked<Int64>(0)

    /// Warn this long before the end. Clients that renew certificates do so a month before.
    private static let warningSeconds: Int64 = 14 * 86_400
    private static let secondsBetweenWarnings: Int64 = 86_400

    /// - Parameter now: seconds since 1970, by the machine's clock.
    /// - Returns: `nil`: callers speak plain HTTP.
    /// - Throws: `.configuration`: the setting, the defect of its file, and the remedy.
    init?(
        _ configuration: Configuration, now: @escaping @Sendable () -> Int64, logger: Logger
    ) throws(StartFault) {
        guard let tls = configuration.server.tls else { return nil }
        do throws(TLSFault) {
            listening = try TLSListening(
                TLSFiles(tls), now: now(), check: { PublicTLS.defect(of: $0, configuration.server) })
        } catch { throw .configuration(PublicTLS.text(error)) }
        self.now = now
        self.logger = logger
    }

    /// A defect of the files; `nil`: there is none. In that case `warning` may have a text for the operator.
    static func inspect(_ server: Configuration.Server, now: Int64) -> (defect: String?, warning: String?) {
        guard let tls = server.tls else { return (nil, nil) }
        do throws(TLSFault) {
            let identity = try TLSListening(TLSFiles(tls), now: now, check: { defect(of: $0, server) }).identity
            return (nil, warning(of: identity, now))
        } catch { return (text(error), nil) }
    }

    /// A certificate for another host is a defect. Behind a trusted proxy any host is allowed, because clients reach
    /// the proxy.
    private static func defect(of identity: TLSIdentity, _ server: Configuration.Server) -> String? {
        guard server.trustedProxies.isEmpty, let host = server.publicURL.flatMap({ PublicURL.host($0) }) else {
            return nil
        }
        return identity.defect(for: host).map { "\($0), or correct server.publicUrl" }
    }

    private static func text(_ fault: TLSFault) -> String {
        switch fault.file {
        case .certificate: "server.tlsCertificateFile: \(fault.reason)"
        case .key: "server.tlsKeyFile: \(fault.reason)"
        case .clientAuthorities: "server.tlsClientCaFile: \(fault.reason)"
        }
    }

    private static func warning(of identity: TLSIdentity, _ now: Int64) -> String? {
        guard identity.validUntil - now < warningSeconds else { return nil }
        return
            "server.tlsCertificateFile: the certificate expires on \(TLSIdentity.text(identity.validUntil)): renew it"
    }

    // MARK: Running

    var makeTransport: Server.MakeTransport { listening.makeTransport }

    /// Reads the certificate and the key again.
    ///
    /// - Returns: the text for the log.
    /// - Throws: the defect and the remedy. The old files then stay in use.
    func reload() throws(StartFault) -> String {
        do throws(TLSFault) { try listening.reload(now: now()) } catch { throw .configuration(PublicTLS.text(error)) }
        return "certificate: valid until \(TLSIdentity.text(listening.identity.validUntil))"
    }

    /// Loads changed files, and warns once a day of a certificate that is about to expire.
    func everyMinute() {
        let now = now()
        do throws(TLSFault) {
            if try listening.everyMinute(now: now) {
                logger.notice(
                    "another certificate is in use",
                    metadata: ["validUntil": "\(TLSIdentity.text(listening.identity.validUntil))"])
            }
        } catch {
            logger.error(
                "the changed certificate was not taken: the old one stays in use",
                metadata: ["reason": "\(PublicTLS.text(error))"])
        }
        guard let warning = PublicTLS.warning(of: listening.identity, now) else { return }
        let isDue = warnedAt.withLock { last in
            guard last == 0 || now - last >= PublicTLS.secondsBetweenWarnings || now < last else { return false }
            last = now
            return true
        }
        if isDue { logger.warning("\(warning)") }
    }

    func collect(_ text: inout MetricsText) {
        text.gauge(
            "holdfast_tls_certificate_expires_seconds", "Seconds until the certificate expires.",
            Double(listening.identity.validUntil - now()))
        for outcome in TLSFigures.Outcome.allCases {
            text.counter(
                "holdfast_tls_connections_total", "Connections by what came of their TLS.",
                Double(listening.figures[outcome]),
                labels: MetricsText.labels([("outcome", outcome.rawValue)]))
        }
    }
}

extension TLSFiles {
    init(_ tls: Configuration.Server.TLS) {
        self.init(certificate: tls.certificateFile, key: tls.keyFile, clientAuthorities: tls.clientAuthoritiesFile)
    }
}
