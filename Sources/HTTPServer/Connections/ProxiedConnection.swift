/// A connection from a proxy, until its header names the client (`ProxyHeader`). Confined to its loop.
///
///     waiting --whole header--> a `Connection` of that client
///        +--- malformed, too late, the end --> closed
final class ProxiedConnection: Pollable, @unchecked Sendable {
    // Sendable: confined to `worker.loop`.
    private let worker: Worker
    private let descriptor: Int32
    let peer: PeerAddress
    let place: Admission.Place
    let makeTransport: ConnectionTransport.Maker
    private var bytes: [UInt8] = []
    private var token: UInt64?
    private var timer: TimerToken?

    init(
        _ worker: Worker, _ descriptor: Int32, _ peer: PeerAddress, _ place: Admission.Place,
        _ makeTransport: @escaping ConnectionTransport.Maker
    ) {
        self.worker = worker
        self.descriptor = descriptor
        self.peer = peer
        self.place = place
        self.makeTransport = makeTransport
    }

    /// Begins to watch the descriptor. Returns false when the system refuses.
    func open() -> Bool {
        guard let token = try? worker.loop.register(self, descriptor, .readable) else { return false }
        self.token = token
        timer = worker.loop.schedule(after: worker.limits.headerTimeout) { self.end(.late) }
        return true
    }

    func flush() {}

    func ready(_ readiness: Poller.Readiness) {
        receive()
        if readiness.isBroken { end(.gone) }
    }

    /// Reads the header and leaves the bytes after it in the socket.
    func receive() {
        var ahead = [UInt8](repeating: 0, count: ProxyHeader.mostBytes - bytes.count)
        guard token != nil, case .done(let count) = Socket.peek(descriptor, into: &ahead) else { return }
        guard count > 0 else { return end(.gone) }
        let seen = bytes + ahead.prefix(count)
        switch ProxyHeader.read(seen) {
        case .malformed: end(.malformed)
        case .partial where seen.count == ProxyHeader.mostBytes: end(.malformed)
        case .partial:
            take(count)
            bytes = seen
        case .whole(let length, let client):
            take(length - bytes.count)
            stopWatching()
            worker.proxied(self, descriptor, client.map { PeerAddress($0) } ?? peer)
        }
    }

    /// Reads the bytes that `peek` returned.
    private func take(_ count: Int) {
        var taken = [UInt8](repeating: 0, count: count)
        if count > 0 { _ = Socket.receive(descriptor, into: &taken) }
    }

    enum End { case gone, late, malformed, draining }

    func end(_ reason: End) {
        guard token != nil else { return }
        stopWatching()
        Socket.close(descriptor)
        worker.ended(self, reason)
    }

    private func stopWatching() {
        if let token { worker.loop.unregister(token, descriptor) }
        token = nil
        timer?.cancel()
        timer = nil
    }
}
