internal import Administration
internal import Glibc
internal import HTTPServer
internal import Logging
internal import Observation
internal import Text

/// `holdfast serve`: starts the server, waits for a signal, and stops the server in order.
struct ServerProcess {
    private let configuration: Configuration
    /// The place from which SIGHUP reads the configuration again.
    private let place: ConfigurationPlace
    private let consent: StartConsent

    init(_ configuration: Configuration, place: ConfigurationPlace, _ consent: StartConsent = StartConsent()) {
        self.configuration = configuration
        self.place = place
        self.consent = consent
    }

    func run() async throws(StartFault) {
        // From here on SIGHUP does not end the process. It reloads nothing before the server listens.
        signal(SIGHUP) { _ in }
        // These end a process by default, but not the first one of a container. It may wait long for its database.
        if getpid() == 1 { for number in [SIGTERM, SIGINT] { signal(number) { _exit(128 + $0) } } }
        let handed = try InheritedSockets.take()
        let format = configuration.log.format ?? (isatty(2) == 1 ? .text : .json)
        let sink = LogSink(descriptor: 2, isForPeople: format == .text)
        let logger = Logger(configuration, sink)
        let assembly = try await Assembly(configuration, sink: sink, consent: consent, handed: handed) {
            [configuration] reason in
            // Memory and disk may differ, so nothing more may be acknowledged, even if no log line can be written.
            logger.critical(
                configuration.database == nil
                    ? "storage failed, the server ends: look at the disk, then start it again"
                    : "the database cannot be used any more, the server ends",
                metadata: ["reason": "\(reason)"])
            sink.flush()
            _exit(1)
        }
        // Catch signals before the first answer, because a caller that gets one may send a signal.
        let signals = await ProcessSignals()
        let addresses = try assembly.start()
        for warning in configuration.warnings { logger.warning("\(warning)") }
        if configuration.server.maxConnections > Assembly.mostConnections {
            logger.warning(
                "server.maxConnections: the limit of file descriptors allows fewer; raise it (ulimit -n)",
                metadata: ["connections": "\(Assembly.mostConnections)"])
        }
        if configuration.mode == .live, configuration.messaging.routesFile == nil {
            logger.warning("no gateway is configured: no message reaches a phone")
        }
        logger.notice("listening", metadata: ["addresses": "\(addresses)", "mode": "\(configuration.mode)"])
        let first = await serve(assembly, signals, greeting: greeting(addresses, assembly))
        sink.flush()
        guard first == .stop else { throw .failed("a part of the server ended by itself: \(first)") }
    }

    /// A part that runs while the server serves. When the first part ends, the others are ended.
    private enum Part: Sendable {
        /// Waits for a stop signal.
        case stop
        case upkeep, reloading
    }

    /// Serves until a part ends, then ends the others and drains.
    private func serve(_ assembly: Assembly, _ signals: ProcessSignals, greeting: String) async -> Part {
        ProcessSetup.releaseStart()
        StandardStream.write(greeting, to: 1)
        let first = await withTaskGroup(of: Part.self) { group in
            group.addTask {
                await assembly.runUpkeep()
                return .upkeep
            }
            group.addTask {
                for await _ in signals.reloads {
                    assembly.reload { () throws(ConfigurationFault) in try place.read() }
                }
                return .reloading
            }
            group.addTask {
                for await _ in signals.stops { break }
                return .stop
            }
            let first = await group.next() ?? .stop
            group.cancelAll()
            return first
        }
        signals.exitAtNextStop()
        await assembly.shutDown(notice: .seconds(configuration.server.drainNoticeSeconds))
        signals.ignoreAll()
        return first
    }

    private func greeting(_ addresses: [BoundAddress], _ assembly: Assembly) -> String {
        let scheme = configuration.server.tls == nil ? "http" : "https"
        let urls = addresses.map { ServerProcess.url($0, scheme) }
        var text =
            "holdfast listens on \(urls.joined(separator: " and ")), mode \(configuration.mode), data in \(configuration.data.directory)\n"
        if let operations = assembly.boundOperationsAddress { text += "operators: \(ServerProcess.url(operations))\n" }
        if let redirect = assembly.boundRedirectAddress {
            text += "redirects: \(ServerProcess.url(redirect)) to \(configuration.server.publicURL ?? urls[0])\n"
        }
        if let client = configuration.sandbox?.clients.first, let url = urls.first {
            let credentials = "\(client.id):\(client.secret.text)"
            text += "try: curl -g -u \(credentials) -d grant_type=client_credentials \(url)/token\n"
        }
        return text
    }

    /// The URL for a browser on this machine: "any address" becomes an address that works.
    private static func url(_ address: BoundAddress, _ scheme: String = "http") -> String {
        switch address {
        case .tcp("0.0.0.0", let port): "\(scheme)://127.0.0.1:\(port)"
        case .tcp("::", let port): "\(scheme)://[::1]:\(port)"
        case .tcp, .unix: "\(scheme)://\(address)"
        }
    }
}
