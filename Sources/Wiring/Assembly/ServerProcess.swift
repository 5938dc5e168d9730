internal import Locks
internal import Dispatch
internal import Glibc
internal import HTTPServer
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// `holdfast serve`: starts the server, waits for a signal, ends it in good order.
struct ServerProcess {
    private let configuration: Configuration
    /// Where SIGHUP reads it again.
    private let place: ConfigurationPlace
    private let consent: StartConsent

    init(_ configuration: Configuration, place: ConfigurationPlace, _ consent: StartConsent = StartConsent()) {
        self.configuration = configuration
        self.place = place
        self.consent = consent
    }

    func run() async throws(StartFault) {
        // From here on SIGHUP does not end the process; nothing is read again before the server listens.
        signal(SIGHUP) { _ in }
        let handed = try HandedSockets.take()
        let sink = LogSink(descriptor: 2)
        let logger = Logger(configuration, sink)
        let assembly = try await Assembly(configuration, sink: sink, consent: consent, handed: handed) { reason in
            // Memory and disk may differ: nothing more may be acknowledged, whether or not anybody reads the log.
            logger.critical(
                "storage failed, the server ends: look at the disk, then start it again",
                metadata: ["reason": "\(reason)"])
            sink.flush()
            _exit(1)
        }
        let addresses = try assembly.start()
        for warning in configuration.warnings { logger.warning("\(warning)") }
        if configuration.server.maxConnections > Assembly.mostConnections {
            logger.warning(
                "server.maxConnections: the limit of file descriptors allows fewer; raise it (ulimit -n)",
                metadata: ["connections": "\(Assembly.mostConnections)"])
        }
        if configuration.mode == .live {
            logger.warning("no carrier is configured: no message reaches a phone")
        }
        logger.notice("listening", metadata: ["addresses": "\(addresses)", "mode": "\(configuration.mode)"])
        let serving = Serving(
            assembly: assembly, greeting: greeting(addresses, assembly.boundOperationsAddress),
            notice: .seconds(configuration.server.drainNoticeSeconds))
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: serving), .init(service: Keeping(assembly: assembly)),
                    .init(service: Reloading(assembly: assembly, place: place)),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do { try await group.run() } catch {
            sink.flush()
            throw .failed("a part of the server ended by itself: \(error)")
        }
        sink.flush()
    }

    private func greeting(_ addresses: [BoundAddress], _ operations: BoundAddress?) -> String {
        let urls = addresses.map(ServerProcess.url)
        var text =
            "holdfast listens on \(urls.joined(separator: " and ")), mode \(configuration.mode), data in \(configuration.data.directory)\n"
        if let operations { text += "operators: \(ServerProcess.url(operations))\n" }
        if let client = configuration.sandbox?.clients.first, let url = urls.first {
            let credentials = "\(client.id):\(client.secret.text)"
            text += "try: curl -g -u \(credentials) -d grant_type=client_credentials \(url)/token\n"
        }
        return text
    }

    /// As a browser on this machine would have it: "any address" is one that works.
    private static func url(_ address: BoundAddress) -> String {
        switch address {
        case .tcp("0.0.0.0", let port): "http://127.0.0.1:\(port)"
        case .tcp("::", let port): "http://[::1]:\(port)"
        case .tcp, .unix: "http://\(address)"
        }
    }

    private struct Serving: Service {
        let assembly: Assembly
        let greeting: String
        let notice: Duration

        func run() async {
            ProcessSetup.releaseStart()
            // Only now are signals caught: whoever waits for the greeting may send one.
            StandardStream.write(greeting, to: 1)
            try? await gracefulShutdown()
            let second = SecondSignal()
            await assembly.shutDown(notice: notice)
            second.ignore()
        }
    }

    private struct Keeping: Service {
        let assembly: Assembly

        func run() async {
            await cancelWhenGracefulShutdown { await assembly.runUpkeep() }
        }
    }
}

/// Reads the configuration again at each SIGHUP.
private struct Reloading: Service {
    let assembly: Assembly
    let place: ConfigurationPlace

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                assembly.reload { () throws(ConfigurationFault) in try place.read() }
            }
        }
        // Also while it ends, the signal does nothing.
        signal(SIGHUP) { _ in }
    }
}

/// Ends the process at once when a signal comes while it is ending in good order.
private final class SecondSignal: Sendable {
    private let sources: Locked<[any DispatchSourceSignal]>

    init() {
        sources = Locked(
            [SIGTERM, SIGINT].map { number in
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { _exit(1) }
                source.activate()
                return source
            })
    }

    func ignore() {
        sources.withLock { sources in
            for source in sources { source.cancel() }
            sources = []
        }
    }
}
