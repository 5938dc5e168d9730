/// Accepts the connections of one listening socket and distributes them to the loops.
///
/// One acceptor gives each connection to the loop with the fewest. With a `SO_REUSEPORT` socket per loop, the kernel
/// would choose by a hash of the addresses; with a few long-lived connections, as from backends, one loop would then do
/// most of the work. The cost is one hop per connection.
final class Listener: Pollable, @unchecked Sendable {
    // Sendable: confined to `loop` after the start.
    let address: BoundAddress
    private let descriptor: Int32
    private let isKept: Bool
    private let loop: EventLoop
    private let workers: [Worker]
    private let admission: Admission
    private let makeTransport: ConnectionTransport.Maker
    private var encoder: ResponseEncoder
    private var requestIDs = RequestIDs()
    private var token: UInt64?
    private var reserve: Int32?

    /// Connections accepted before other work gets its turn.
    private static let batch = 64
    /// How long accepting pauses after an error that would repeat at once.
    private static let pause = Duration.milliseconds(100)

    init(
        _ listening: Socket.Listening, loop: EventLoop, workers: [Worker], admission: Admission,
        fields: [(name: String, value: String)], makeTransport: @escaping ConnectionTransport.Maker
    ) {
        encoder = ResponseEncoder(fields: fields)
        descriptor = listening.descriptor
        address = listening.address
        isKept = listening.isKept
        self.loop = loop
        self.workers = workers
        self.admission = admission
        self.makeTransport = makeTransport
        reserve = Socket.openReserve()
    }

    func start() {
        loop.post {
            self.token = try? self.loop.register(self, self.descriptor, .readable)
        }
    }

    /// Accepts the connections that the kernel has queued, then stops listening. If another process keeps the socket
    /// open, the queue is left for the next server. Call on the loop.
    func stop() {
        guard let token else { return }
        while !isKept, acceptBatch() {}
        loop.unregister(token, descriptor)
        self.token = nil
        Socket.close(descriptor)
        if let reserve { Socket.close(reserve) }
        reserve = nil
        if case .unix(let path) = address { Socket.removeSocketFile(at: path) }
    }

    func ready(_ readiness: Poller.Readiness) {
        // Remaining connections are reported again: the set is level triggered.
        _ = acceptBatch()
    }

    func flush() {}

    /// Returns false when no connection is left to accept, or accepting must pause.
    private func acceptBatch() -> Bool {
        let isLocal = address.port == nil
        for _ in 0..<Listener.batch {
            switch Socket.accept(descriptor, isLocal: isLocal) {
            case .connection(let connection, let peer): take(connection, peer)
            case .none: return false
            case .lost: continue
            case .noDescriptors: if !refuseWithReserve() { return rest() }
            case .failed: return rest()
            }
        }
        return true
    }

    private func take(_ connection: Int32, _ peer: PeerAddress) {
        guard let place = admission.admit(peer),
            let worker = workers.min(by: { $0.openConnections < $1.openConnections })
        else {
            refuse(connection)
            return
        }
        worker.willOpen()
        let makeTransport = makeTransport
        if worker.loop === loop {
            worker.open(connection, peer, place, makeTransport)
        } else {
            worker.loop.post { worker.open(connection, peer, place, makeTransport) }
        }
    }

    /// Sends as much of a 503 as the transport takes at once, then closes, so that an attacker's connection costs no
    /// more. A transport that begins with a handshake sends nothing.
    private func refuse(_ connection: Int32) {
        let response = workers.first?.answer(to: .overloaded) ?? Response(status: 503)
        var output: [UInt8] = []
        let context = ResponseEncoder.Context(closes: true, requestID: requestIDs.make())
        let transport = makeTransport(connection)
        if encoder.encode(response, context, into: &output) { _ = transport.send(output, from: 0) }
        transport.finishSending()
        transport.close()
    }

    /// Without a free descriptor, a waiting connection would be reported for ever. The reserve descriptor is released
    /// to accept it, and the connection is closed.
    private func refuseWithReserve() -> Bool {
        guard let held = reserve else { return false }
        Socket.close(held)
        reserve = nil
        if case .connection(let connection, _) = Socket.accept(descriptor, isLocal: false) {
            Socket.close(connection)
            admission.noteRefused()
        }
        reserve = Socket.openReserve()
        return reserve != nil
    }

    private func rest() -> Bool {
        guard let token else { return false }
        loop.change(token, descriptor, [])
        loop.schedule(after: Listener.pause) {
            guard let token = self.token else { return }
            if self.reserve == nil { self.reserve = Socket.openReserve() }
            self.loop.change(token, self.descriptor, .readable)
        }
        return false
    }
}
