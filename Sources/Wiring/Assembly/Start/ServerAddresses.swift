internal import Administration
internal import HTTPServer

/// The addresses on which the server listens, and the URLs by which clients reach it.
struct ServerAddresses: Sendable {
    /// Listening sockets from a service manager.
    let handed: InheritedSockets
    /// The TCP port of the public listener.
    let port: Int
    /// Without a slash at the end.
    let publicURL: String
    /// The base of links, without a slash at the end.
    let linkURL: String
    /// The URL by which this server calls itself: without TLS, and without a slash at the end.
    let ownURL: String
    /// Reserves a free port until the server listens on it; `nil`: the configuration names the port.
    private let reservation: PortReservation?
    private let operationsReservation: PortReservation?
    private let operationsPort: Int?
    private let hosts: [String]
    private let operations: Configuration.Server.Operations?
    private let redirectPort: Int?

    /// - Throws: `.configuration`: a socket was passed for a listener that the configuration does not have.
    init(_ configuration: Configuration, handed: InheritedSockets) throws(StartFault) {
        guard handed.operations.isEmpty || configuration.server.operations != nil else {
            throw .configuration("LISTEN_FDNAMES: there is no operations listener: set server.operationsPort")
        }
        self.handed = handed
        hosts = configuration.server.hosts
        operations = configuration.server.operations
        redirectPort = configuration.server.redirectPort
        let isReserved = configuration.server.port == 0 && handed.publicOnes.isEmpty
        reservation = isReserved ? PortReservation(host: configuration.server.hosts[0]) : nil
        port = reservation?.port ?? handed.publicOnes.first?.address.port ?? configuration.server.port
        let scheme = configuration.server.tls == nil ? "http" : "https"
        publicURL = configuration.server.publicURL ?? "\(scheme)://127.0.0.1:\(port)"
        linkURL = configuration.link.publicURL ?? publicURL
        (operationsReservation, operationsPort) = ServerAddresses.operationsPort(configuration, handed)
        ownURL =
            if configuration.server.tls != nil, let operations, let operationsPort {
                "http://\(ServerAddresses.ownHost(operations.host)):\(operationsPort)"
            } else {
                "http://\(ServerAddresses.ownHost(hosts.first ?? "localhost")):\(port)"
            }
    }

    /// If the server calls itself on this port, the port must be known before the server listens.
    private static func operationsPort(
        _ configuration: Configuration, _ handed: InheritedSockets
    ) -> (PortReservation?, Int?) {
        guard let operations = configuration.server.operations else { return (nil, nil) }
        if let port = handed.operations.first?.address.port { return (nil, port) }
        guard operations.port == 0, configuration.server.tls != nil else { return (nil, operations.port) }
        let reservation = PortReservation(host: operations.host)
        return (reservation, reservation?.port ?? 0)
    }

    /// An address of this machine that reaches a listener on `host`.
    private static func ownHost(_ host: String) -> String {
        if ["localhost", "0.0.0.0", "::"].contains(host) { return "127.0.0.1" }
        return host.contains(":") ? "[\(host)]" : host
    }

    /// Addresses of the public listener.
    var publicListeners: [ListenAddress] {
        let own = hosts.map { ListenAddress.tcp(host: $0, port: port) }
        return handed.publicOnes.isEmpty ? own : handed.publicOnes.map { .inherited($0) }
    }

    /// Addresses of the listener that redirects to https; `nil`: there is none.
    var redirectListeners: [ListenAddress]? {
        redirectPort.map { port in hosts.map { .tcp(host: $0, port: port) } }
    }

    /// Addresses of the listener for operators; `nil`: there is none.
    var operationsListeners: [ListenAddress]? {
        guard let operations, let operationsPort else { return nil }
        let own = [ListenAddress.tcp(host: operations.host, port: operationsPort)]
        return handed.operations.isEmpty ? own : handed.operations.map { .inherited($0) }
    }
}
