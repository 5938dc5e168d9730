internal import Glibc
internal import Text
internal import OperationsSurfaces
internal import SurfaceKit
internal import Administration
internal import HTTPServer
internal import Locks
internal import Observation
internal import Possession

/// The servers: for callers, for operators, for the redirect to https, and for operators' commands.
struct Servers: Sendable {
    /// The server for callers.
    let main: Server
    /// `nil`: operators call the public server.
    private let operations: Server?
    private let control: Server
    /// Redirects browsers from http to https; `nil`: there is no redirect.
    private let redirect: Server?
    /// `nil`: callers speak plain HTTP.
    private let tls: PublicTLS?
    private let operationsAddress = Locked<BoundAddress?>(nil)
    private let redirectAddress = Locked<BoundAddress?>(nil)

    /// - Parameters:
    ///   - storeWait: how many nanoseconds the store lets a caller's change wait while this many changes are in
    ///     progress.
    ///   - knownClient: the client of an access token that was checked before.
    ///   - names: the host names of the servers for callers and operators.
    ///   - noteName: called with the host name of a call, if it is none of these.
    ///   - noteProxy: called with a trusted proxy that forwarded a call without the client's address.
    ///   - observe: called with every exchange except those of operators' commands.
    init(
        _ configuration: Configuration, _ surfaces: Surfaces, _ control: ControlSurface, tls: PublicTLS?,
        hasAccessLog: Bool,
        storeWait: @escaping @Sendable (_ changesAtWork: Int) -> UInt64,
        knownClient: @escaping @Sendable (_ accessToken: String) -> ClientID?,
        names: HostNames, noteName: @escaping @Sendable (String) -> Void,
        noteProxy: @escaping @Sendable (PeerAddress) -> Void,
        observe: @escaping @Sendable ([Exchange]) -> Void
    ) throws(StartFault) {
        let trustedProxies = configuration.server.trustedProxies
        let headerProxies = configuration.server.proxyProtocol ? trustedProxies : AddressRanges()
        let sendsProxyHeader = { @Sendable (peer: PeerAddress) in headerProxies.contains(peer.address) }
        let addresses = ClientAddress(trustedProxies: trustedProxies)
        let makeNotes: Server.MakeNotes? =
            hasAccessLog
            ? { @Sendable headers, peer in
                if addresses.isUnnamed(headers, peer) { noteProxy(peer) }
                return addresses.notes(headers, peer)
            } : nil
        let (routes, operationsRoutes) = (surfaces.routes, surfaces.operationsRoutes)
        let (front, operationsFront) = (surfaces.front(beside: routes), surfaces.front(beside: operationsRoutes))
        let hasDocs = Servers.haveDocs(routes)
        let haveOperationsDocs = Servers.haveDocs(operationsRoutes)
        let hasName: Server.HasName = { authority in
            let isKnown = names.contains(authority)
            if !isKnown { noteName(authority) }
            return isKnown
        }
        self.tls = tls
        do throws(SocketError) {
            main = try Server(
                limits: HTTPServer.Limits(configuration), loops: Assembly.loops(configuration),
                router: Router(routes + front.routes, areas: surfaces.areas), storeWait: storeWait,
                caller: { Servers.caller($0, $1, addresses, knownClient) }, hasName: hasName,
                isExempt: { trustedProxies.contains($0.address) }, sendsProxyHeader: sendsProxyHeader,
                failureResponse: { failureResponse($0, besideDocs: hasDocs) },
                failurePage: front.failurePage, makeNotes: makeNotes,
                fields: Servers.fields(configuration.server.tls), observe: observe)
            // It has its own loop and limits, so that callers can never keep operators out (OPS-03).
            operations =
                configuration.server.operations == nil
                ? nil
                : try Server(
                    limits: .operations, loops: 1, router: Router(operationsRoutes + operationsFront.routes),
                    hasName: hasName,
                    failureResponse: { failureResponse($0, besideDocs: haveOperationsDocs) },
                    failurePage: operationsFront.failurePage, makeNotes: makeNotes,
                    observe: observe)
            // It serves the same callers as the public server, with its own loop, so it takes no capacity from that
            // server.
            redirect =
                configuration.server.redirectPort == nil
                ? nil
                : try Server(
                    limits: .redirect(configuration), loops: 1, router: Router([], fallback: surfaces.redirect.route),
                    isExempt: { trustedProxies.contains($0.address) }, sendsProxyHeader: sendsProxyHeader,
                    failureResponse: failureResponse,
                    makeNotes: makeNotes, observe: observe)
            self.control = try Server(
                limits: .control, loops: 1, router: Router(control.routes),
                failureResponse: failureResponse, observe: { _ in })
        } catch { throw .failed("server: \(error)") }
    }

    private static func haveDocs(_ routes: [Route]) -> Bool {
        routes.contains { $0.pattern.utf8.elementsEqual("/docs".utf8) }
    }

    /// Header fields of every response over TLS (RFC 6797).
    private static func fields(_ tls: Configuration.Server.TLS?) -> Server.Fields {
        guard let tls, tls.strictTransportSeconds > 0 else { return [] }
        return [("Strict-Transport-Security", "max-age=\(tls.strictTransportSeconds)")]
    }

    /// The caller for fair sharing: an API client by its access token, any other caller by its network
    /// (`IPAddress.network`).
    static func caller(
        _ headers: Headers, _ peer: PeerAddress, _ addresses: ClientAddress,
        _ knownClient: (_ accessToken: String) -> ClientID?
    ) -> Int? {
        if let value = headers.bytes("authorization"), let token = Credentials(value).token(of: "bearer"),
            let client = knownClient(token)
        {
            return client.hashValue
        }
        return addresses.of(headers, peer)?.network.hashValue
    }

    /// Listens. Returns the addresses of the public server.
    func start(on addresses: ServerAddresses, controlSocket: String) throws(StartFault) -> [BoundAddress] {
        try Self.listening("data.directory") { () throws(SocketError) in
            _ = try control.start(on: [.unix(path: controlSocket)])
        }
        if let operations, let listeners = addresses.operationsListeners {
            let bound = try Self.listening("server.operationsPort") { () throws(SocketError) in
                try operations.start(on: listeners)
            }
            operationsAddress.withLock { $0 = bound.first }
        }
        if let redirect, let listeners = addresses.redirectListeners {
            let bound = try Self.listening("server.redirectPort") { () throws(SocketError) in
                try redirect.start(on: listeners)
            }
            redirectAddress.withLock { $0 = bound.first }
        }
        return try Self.listening("server.port") { () throws(SocketError) in
            try main.start(on: addresses.publicListeners, over: tls?.makeTransport)
        }
    }

    /// - Throws: `.configuration` with the setting: another program has the port, the machine does not have the
    ///   address, or the process may not listen there.
    private static func listening<Result>(
        _ setting: String, _ start: () throws(SocketError) -> Result
    ) throws(StartFault) -> Result {
        do { return try start() } catch {
            switch error.code {
            case EADDRINUSE, EADDRNOTAVAIL, EACCES: throw .configuration("\(setting): cannot listen: \(error)")
            default: throw .failed("cannot listen: \(error)")
            }
        }
    }

    /// The address of the listener for operators; `nil`: it does not listen.
    var boundOperationsAddress: BoundAddress? { operationsAddress.withLock { $0 } }

    /// The address of the listener that redirects to https; `nil`: it does not listen.
    var boundRedirectAddress: BoundAddress? { redirectAddress.withLock { $0 } }

    /// Waits `notice` so that load balancers see that `/readyz` is not ready, then finishes open requests for at most
    /// `drain`.
    func stop(notice: Duration, drain: Duration) async {
        main.announceEnd()
        if notice > .zero { try? await Task.sleep(for: notice) }
        await main.drain(within: drain)
        await main.stop()
        await redirect?.stop()
        await control.stop()
        // Stop this one last, so that probes get an answer to the end.
        await operations?.stop()
    }
}
