internal import CLinux
internal import Locks

/// The HTTP/1.1 server: listeners, event loops, and the connections on them.
package final class Server: Sendable {
    /// The page that a browser gets for a failure; `nil`: this caller gets what programs get.
    package typealias FailurePage = @Sendable (HTTPFailure, Headers) -> Response?
    /// Begins the notes of a request from its head.
    package typealias MakeNotes = @Sendable (Headers, PeerAddress) -> RequestNotes

    /// A hash of who asks, for fair shares under overload; `nil`: nobody who could be told from others.
    package typealias Caller = @Sendable (Headers, PeerAddress) -> Int?

    /// Whether an authority, in lower case and with or without a port, is a name of this server.
    package typealias HasName = @Sendable (_ authority: String) -> Bool

    /// Makes the transport of a connection from its descriptor, on the loop that has it.
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

    /// The loops, one a worker; they run from `start` on.
    package let loops: [EventLoop]

    /// - Parameters:
    ///   - loops: how many event loops; one a core is right.
    ///   - stillClock: time for tests, instead of the machine's.
    ///   - storeWait: how many nanoseconds the store lets a change wait before it begins, with so many at work. Asked
    /// for most requests, so it is quick.
    ///   - caller: asked under overload. It is quick, and checks no signature.
    ///   - hasName: a request under another name is answered 421, unless its route is a probe's. A request without `Host`
    ///     (HTTP/1.0) passes: browsers do not send such requests. `nil`: every name passes.
    ///   - isExempt: peers whose connections are not limited by address: proxies, behind which many callers are.
    ///   - sendsProxyHeader: peers whose connections begin with a header of the PROXY protocol, versions 1 and 2. Without
    ///     one they are closed.
    ///   - failureResponse: renders the failures that the server answers itself, in the surface's shape.
    ///   - failurePage: asked first where the head of the request could be read.
    ///   - makeNotes: without it no request has notes.
    ///   - fields: in every answer.
    ///   - observe: told of every finished exchange once, on its loop: those of a turn together.
    /// - Throws: when the process has no descriptor left.
    package init(
        limits: Limits, loops count: Int, stillClock: StillClock? = nil, router: Router,
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
                        name: "http-\(index)", stillClock: stillClock, longestWait: limits.longestWait), limits: limits,
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

    /// Opens the listeners and serves. Nothing listens when one of them fails.
    ///
    /// - Parameter transport: of every connection; `nil`: the socket itself.
    package func start(
        on addresses: [ListenAddress], over transport: MakeTransport? = nil
    ) throws(SocketError) -> [BoundAddress] {
        guard let transport else { return try start(on: addresses, making: ConnectionTransport.makePlain) }
        return try start(on: addresses, making: { .layered(transport($0)) })
    }

    /// - Parameter makeTransport: called once a connection, on the loop that has it.
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

    /// Announces the end: from now on every answer carries `Connection: close`, so that clients which stay busy are
    /// gone before `drain` (OPS-01). Connections are still taken.
    package func announceEnd() {
        for worker in workers { worker.beginEnding() }
    }

    /// Gives memory back to the system when much of it was used and is free again. Takes some milliseconds then, and
    /// nothing otherwise; not for a loop.
    package func releaseSpareMemory() {
        if memory.hasSpareMemory() { clinux_trim_memory() }
    }

    /// Stops accepting, answers what is in flight with `Connection: close`, closes idle connections, cuts what is left
    /// after `duration`, and returns when no connection is open (OPS-01). The loops go on until `stop`.
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

    /// Cuts every connection and ends the loops. Nothing may run on them afterwards.
    package func stop() async {
        await drain(within: .zero)
        for loop in loops { loop.stop() }
        lane?.stop()
    }

    /// The figures of this moment.
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
