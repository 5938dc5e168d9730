internal import CLinux
internal import Locks

/// The HTTP/1.1 server: listeners, event loops, and the connections on them.
package final class Server: Sendable {
    /// The page that a browser gets for a failure; `nil`: this caller gets what programs get.
    package typealias FailurePage = @Sendable (HTTPFailure, Headers) -> Response?
    /// Creates the notes of a request from its head.
    package typealias MakeNotes = @Sendable (Headers, PeerAddress) -> RequestNotes

    /// A hash that identifies the caller, for fair shares under overload; `nil`: the caller cannot be identified.
    package typealias Caller = @Sendable (Headers, PeerAddress) -> Int?

    /// Whether an authority, in lower case and with or without a port, names this server.
    package typealias HasName = @Sendable (_ authority: String) -> Bool

    /// Makes the transport of a connection from its descriptor. Called on the loop that owns the connection.
    package typealias MakeTransport = @Sendable (Int32) -> any Transport & AnyObject
    /// Header fields of every answer.
    package typealias Fields = [(name: String, value: String)]

    /// The table of routes.
    package let router: Router
    private let limits: Limits
    private let fields: Fields
    private let workers: [Worker]
    private let admission: Admission
    private let memory: MemoryBudget
    private let workload = Workload()
    private let lane: LongWorkLane?
    private let listeners = Locked<[Listener]>([])

    /// The event loops, one for each worker. They run from `start` on.
    package let loops: [EventLoop]

    /// - Parameters:
    ///   - loops: how many event loops; use one for each core.
    ///   - manualClock: time for tests, instead of the machine's.
    ///   - storeWait: how many nanoseconds a change waits in the store before it begins, for a number of running
    ///     changes. Called for most requests, so it must be fast.
    ///   - caller: called under overload. It must be fast and must not verify signatures.
    ///   - hasName: a request for another host name is answered 421, unless its route is a probe. A request without
    ///     `Host` (HTTP/1.0) passes: browsers do not send such requests. `nil`: every name passes.
    ///   - isExempt: peers whose connections are not limited by address, such as proxies that carry many callers.
    ///   - sendsProxyHeader: peers whose connections must begin with a header of the PROXY protocol, version 1 or 2.
    ///     Without one they are closed.
    ///   - failureResponse: renders the failures that the engine itself answers, in the surface's format.
    ///   - failurePage: tried before `failureResponse` when the head of the request could be read.
    ///   - makeNotes: `nil`: requests have no notes.
    ///   - fields: header fields added to every answer.
    ///   - observe: called on each loop once a turn with the exchanges that finished in it. Every exchange is reported
    ///     once.
    /// - Throws: when the process has no free descriptor.
    package init(
        limits: Limits, loops count: Int, manualClock: ManualClock? = nil, router: Router,
        storeWait: (@Sendable (_ changesAtWork: Int) -> UInt64)? = nil, caller: Caller? = nil,
        hasName: HasName? = nil,
        isExempt: @escaping @Sendable (PeerAddress) -> Bool = { _ in false },
        sendsProxyHeader: @escaping @Sendable (PeerAddress) -> Bool = { _ in false },
        failureResponse: @escaping @Sendable (HTTPFailure) -> Response, failurePage: FailurePage? = nil,
        makeNotes: MakeNotes? = nil, fields: Fields = [],
        observe: @escaping @Sendable ([Exchange]) -> Void
    ) throws(SocketError) {
        precondition(count > 0, "a server needs a loop")
        self.router = router
        self.limits = limits
        self.fields = fields
        let admission = Admission(limits, isExempt: isExempt)
        let memory = MemoryBudget(limit: limits.maxBufferedBytes)
        self.memory = memory
        let lane = router.hasLongWork ? LongWorkLane() : nil
        self.lane = lane
        var workers: [Worker] = []
        for index in 0..<count {
            workers.append(
                Worker(
                    loop: try EventLoop(
                        name: "http-\(index)", manualClock: manualClock, longestWait: limits.longestWait),
                    limits: limits,
                    router: router,
                    admission: admission, memory: memory, shedding: Shedding(storeWait: storeWait, workload: workload),
                    lane: lane, fields: fields,
                    failureResponse: failureResponse, failurePage: failurePage,
                    makeNotes: makeNotes, caller: caller, hasName: hasName, sendsProxyHeader: sendsProxyHeader,
                    observe: observe))
        }
        self.workers = workers
        self.admission = admission
        loops = workers.map(\.loop)
    }

    deinit {
        for loop in loops { loop.stop() }
        lane?.stop()
    }

    /// Opens the listeners and serves. If one listener fails, all are closed.
    ///
    /// - Parameter transport: makes the transport of every connection; `nil`: the plain socket.
    package func start(
        on addresses: [ListenAddress], over transport: MakeTransport? = nil
    ) throws(SocketError) -> [BoundAddress] {
        guard let transport else { return try start(on: addresses, making: ConnectionTransport.makePlain) }
        return try start(on: addresses, making: { .layered(transport($0)) })
    }

    /// - Parameter makeTransport: called once for each connection, on the loop that owns it.
    func start(
        on addresses: [ListenAddress], making makeTransport: @escaping ConnectionTransport.Maker
    ) throws(SocketError) -> [BoundAddress] {
        var listening: [Socket.Listening] = []
        for address in addresses {
            do {
                listening += try Socket.listen(on: address, limits: limits)
            } catch {
                for opened in listening { Socket.close(opened.descriptor) }
                throw error
            }
        }
        for worker in workers { worker.loop.start() }
        let acceptor = workers[0].loop
        let opened = listening.map {
            Listener(
                $0, loop: acceptor, workers: workers, admission: admission, fields: fields,
                makeTransport: makeTransport)
        }
        listeners.withLock { $0 = opened }
        for listener in opened { listener.start() }
        return opened.map(\.address)
    }

    /// Announces the shutdown: every answer from now on carries `Connection: close`, so that busy clients disconnect
    /// before `drain` (OPS-01). New connections are still accepted.
    package func announceEnd() {
        for worker in workers { worker.beginEnding() }
    }

    /// Returns free memory to the system if much was used and most of it is free again. That takes some milliseconds;
    /// otherwise nothing. Do not call on a loop.
    package func releaseSpareMemory() {
        if memory.hasSpareMemory() { clinux_trim_memory() }
    }

    /// Stops accepting, answers requests in progress with `Connection: close`, closes idle connections, cuts the
    /// remaining ones after `duration`, and returns when no connection is open (OPS-01). The loops run until `stop`.
    package func drain(within duration: Duration) async {
        await closeListeners()
        await withTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.drain(within: duration) } }
        }
    }

    private func closeListeners() async {
        let open = listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
        guard !open.isEmpty else { return }
        await withUnsafeContinuation { continuation in
            workers[0].loop.post {
                for listener in open { listener.stop() }
                continuation.resume()
            }
        }
    }

    /// Cuts every connection and ends the loops. No work may be posted to them afterwards.
    package func stop() async {
        await drain(within: .zero)
        for loop in loops { loop.stop() }
        lane?.stop()
    }

    /// The current figures.
    package func statistics() -> Statistics {
        let figures = admission.figures
        let loops = workers.map(\.statistics)
        return Statistics(
            openConnections: figures.open, requestsInFlight: loops.reduce(0) { $0 + $1.requestsInFlight },
            accepted: figures.accepted, refused: figures.refused, bufferedBytes: memory.held,
            requestsRefusedForMemory: memory.refused,
            shed: Dictionary(uniqueKeysWithValues: SheddingStage.allCases.map { ($0, workload.refused($0)) }),
            loops: loops)
    }
}
