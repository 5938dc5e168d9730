internal import Administration
internal import HTTPServer

/// Where the server listens, and under which URL clients find it.
struct ServerAddresses: Sendable {
    /// Listening sockets from outside.
    let handed: HandedSockets
    /// The TCP port of the public listener.
    let port: Int
    /// Without a slash at the end.
    let publicURL: String
    /// Where links lead; without a slash at the end.
    let linkURL: String
    /// Keeps a free port until the server listens on it; `nil`: the port was named.
    private let reservation: PortReservation?
    private let hosts: [String]
    private let operations: Configuration.Server.Operations?

    /// - Throws: `.configuration` when a socket is handed for a listener that the configuration does not have.
    init(_ configuration: Configuration, handed: HandedSockets) throws(StartFault) {
        guard handed.operations.isEmpty || configuration.server.operations != nil else {
            throw .configuration("LISTEN_FDNAMES: there is no operations listener: set server.operationsPort")
        }
        self.handed = handed
        hosts = configuration.server.hosts
        operations = configuration.server.operations
        let isReserved = configuration.server.port == 0 && handed.publicOnes.isEmpty
        reservation = isReserved ? PortReservation(host: configuration.server.hosts[0]) : nil
        port = reservation?.port ?? handed.publicOnes.first?.address.port ?? configuration.server.port
        publicURL = configuration.server.publicURL ?? "http://127.0.0.1:\(port)"
        linkURL = configuration.link.publicURL ?? publicURL
    }

    /// Of the public listener.
    var publicListeners: [ListenAddress] {
        let own = hosts.map { ListenAddress.tcp(host: $0, port: port) }
        return handed.publicOnes.isEmpty ? own : handed.publicOnes.map { .inherited($0) }
    }

    /// Of the listener for operators; `nil`: there is none.
    var operationsListeners: [ListenAddress]? {
        guard let operations else { return nil }
        let own = [ListenAddress.tcp(host: operations.host, port: operations.port)]
        return handed.operations.isEmpty ? own : handed.operations.map { .inherited($0) }
    }
}
