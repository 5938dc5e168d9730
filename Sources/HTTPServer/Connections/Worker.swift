internal import Synchronization
internal import Text

/// State that the connections of one loop share: configuration, buffers, counters. Confined to its loop except for the
/// counters.
final class Worker: @unchecked Sendable {
    // Sendable: the counters are atomic, `open` and `drain` are posted to the loop; everything else is confined to it.
    let loop: EventLoop
    let limits: Limits
    let router: Router
    let failureResponse: @Sendable (HTTPFailure) -> Response
    let failurePage: Server.FailurePage?
    let makeNotes: Server.MakeNotes?
    /// `nil`: no route does long work.
    let lane: LongWorkLane?
    private let caller: Server.Caller?
    private let hasName: Server.HasName?
    /// The last authority that was accepted as a name of this server: most requests carry the same one.
    @exclusivity(unchecked) private var lastName = ""
    private let sendsProxyHeader: @Sendable (PeerAddress) -> Bool
    private let observe: @Sendable ([Exchange]) -> Void
    private let admission: Admission
    private let memory: MemoryBudget
    @exclusivity(unchecked) private var shedding: Shedding
    @exclusivity(unchecked) private var overloadAnswers: [Response] = []
    @exclusivity(unchecked) private var nextOverloadAnswer = 0

    /// Receive buffer for every connection of the loop. Nothing stays in it after the call.
    @exclusivity(unchecked) var scratch = [UInt8](repeating: 0, count: 64 * 1024)
    @exclusivity(unchecked) var encoder: ResponseEncoder
    @exclusivity(unchecked) var requestIDs = RequestIDs()
    private(set) var isDraining = false
    /// The server is shutting down: every answer is the last one on its connection.
    private(set) var isEnding = false
    /// Bytes that this loop's connections hold, and how many of them were reported to the budget.
    @exclusivity(unchecked) private var heldBytes = 0
    @exclusivity(unchecked) private var reportedBytes = 0

    /// Steps of handshakes taken in this turn.
    private var handshakeSteps = 0
    /// Limit for `handshakeSteps`. A step may compute a signature, which costs as much as some requests; open
    /// connections must not wait for many of them.
    private static let maxHandshakeSteps = 16

    private var connections: [ObjectIdentifier: Connection] = [:]
    private var proxied: [ObjectIdentifier: ProxiedConnection] = [:]
    @exclusivity(unchecked) private var spareOutputs: [[UInt8]] = []
    @exclusivity(unchecked) private var unobservedExchanges: [Exchange] = []
    private var waitingForEmpty: [UnsafeContinuation<Void, Never>] = []

    private let openCount = Atomic<Int>(0)
    private let inFlightCount = Atomic<Int>(0)
    private let responseCount = Atomic<Int>(0)

    /// Output buffers kept for reuse, and the largest that is worth keeping.
    private static let maxSpareOutputs = 256
    private static let maxSpareOutputBytes = 16 * 1024

    init(
        loop: EventLoop, limits: Limits, router: Router, admission: Admission, memory: MemoryBudget,
        shedding: Shedding, lane: LongWorkLane?, fields: [(name: String, value: String)],
        failureResponse: @escaping @Sendable (HTTPFailure) -> Response, failurePage: Server.FailurePage?,
        makeNotes: Server.MakeNotes?, caller: Server.Caller?, hasName: Server.HasName?,
        sendsProxyHeader: @escaping @Sendable (PeerAddress) -> Bool,
        observe: @escaping @Sendable ([Exchange]) -> Void
    ) {
        self.loop = loop
        self.limits = limits
        self.router = router
        self.admission = admission
        self.memory = memory
        self.shedding = shedding
        self.lane = lane
        encoder = ResponseEncoder(fields: fields)
        self.failureResponse = failureResponse
        self.failurePage = failurePage
        self.makeNotes = makeNotes
        self.caller = caller
        self.hasName = hasName
        self.sendsProxyHeader = sendsProxyHeader
        self.observe = observe
    }

    /// The surface's answer to a failure. For `.overloaded` it includes `Retry-After`.
    func answer(to failure: HTTPFailure) -> Response {
        var response = failureResponse(failure)
        if failure == .overloaded,
            !response.headers.contains(where: { Octets.equalIgnoringCase($0.name.utf8, "retry-after") })
        {
            response.headers.append(("Retry-After", "1"))
        }
        return response
    }

    // MARK: Counters, from any thread

    var openConnections: Int { openCount.load(ordering: .relaxed) }

    var statistics: Statistics.Loop {
        Statistics.Loop(
            openConnections: openConnections, requestsInFlight: inFlightCount.load(ordering: .relaxed),
            responses: responseCount.load(ordering: .relaxed), turns: loop.turns, backlog: loop.backlogCount,
            expectedWait: loop.reportedWait)
    }

    /// Counts the connection in the acceptor, before it opens, so that a burst is distributed evenly.
    func willOpen() { openCount.add(1, ordering: .relaxed) }
    func responded() { responseCount.add(1, ordering: .relaxed) }

    // MARK: Connections, on the loop

    func open(
        _ descriptor: Int32, _ peer: PeerAddress, _ place: Admission.Place,
        _ makeTransport: @escaping ConnectionTransport.Maker
    ) {
        guard sendsProxyHeader(peer) else { return open(makeTransport(descriptor), peer, place) }
        let connection = ProxiedConnection(self, descriptor, peer, place, makeTransport)
        guard connection.open() else {
            Socket.close(descriptor)
            return released(peer, place)
        }
        proxied[ObjectIdentifier(connection)] = connection
        if isDraining { drain(connection) }
    }

    /// The proxy header has arrived and names the client.
    func proxied(_ connection: ProxiedConnection, _ descriptor: Int32, _ client: PeerAddress) {
        proxied[ObjectIdentifier(connection)] = nil
        guard admission.move(from: connection.peer, to: client) else {
            Socket.close(descriptor)
            released(connection.peer, connection.place)
            return finishDrainingWhenEmpty()
        }
        open(connection.makeTransport(descriptor), client, connection.place)
    }

    func ended(_ connection: ProxiedConnection, _ reason: ProxiedConnection.End) {
        if reason == .malformed { admission.noteWithoutHeader() }
        proxied[ObjectIdentifier(connection)] = nil
        released(connection.peer, connection.place)
        finishDrainingWhenEmpty()
    }

    /// Requests that have already arrived are still answered.
    private func drain(_ connection: ProxiedConnection) {
        connection.receive()
        connection.end(.draining)
    }

    private func open(_ transport: ConnectionTransport, _ peer: PeerAddress, _ place: Admission.Place) {
        let connection = Connection(self, transport, peer, place)
        guard connection.open() else {
            transport.close()
            return released(peer, place)
        }
        connections[ObjectIdentifier(connection)] = connection
        if isDraining { connection.drain() }
    }

    func closed(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        released(connection.peer, connection.place)
        finishDrainingWhenEmpty()
    }

    private func released(_ peer: PeerAddress, _ place: Admission.Place) {
        openCount.subtract(1, ordering: .relaxed)
        admission.release(peer, place)
    }

    func isProxy(_ peer: PeerAddress) -> Bool { admission.isExempt(peer) }

    func noteRefusedOnReserve() { admission.noteRefusedOnReserve() }

    /// Whether this turn has time for one more handshake step. If not, the socket is reported again in the next turn.
    func mayTakeHandshakeStep() -> Bool {
        if handshakeSteps == 0 { loop.atTurnEnd { self.handshakeSteps = 0 } }
        guard handshakeSteps < Worker.maxHandshakeSteps else { return false }
        handshakeSteps += 1
        return true
    }

    // MARK: Requests, on the loop

    /// Whether the authority of a request names this server.
    func isCalled(by authority: String?) -> Bool {
        guard let hasName, let authority, !authority.isSame(as: lastName) else { return true }
        guard hasName(authority) else { return false }
        lastName = authority
        return true
    }

    func requestBegan(_ admitted: Shedding.Admitted) {
        inFlightCount.add(1, ordering: .relaxed)
        shedding.begin(admitted)
    }

    func requestEnded(_ admitted: Shedding.Admitted) {
        inFlightCount.subtract(1, ordering: .relaxed)
        shedding.end(admitted)
    }

    /// Decides from the head whether a request can be answered in time.
    func decide(_ demand: Demand, _ headers: Headers, _ peer: PeerAddress) -> Shedding.Decision {
        shedding.decide(demand, loopWait: loop.expectedWait, isStanding: loop.isBacklogStanding) {
            caller?(headers, peer)
        }
    }

    /// Records a request that could not begin in time.
    func noteLate() { shedding.noteLate() }

    /// The answer to a request that cannot be answered in time: a page for a browser, otherwise one of a few prebuilt
    /// answers, since there may be many such requests.
    func overloadAnswer(_ route: Route, _ headers: Headers) -> Response {
        if overloadAnswers.isEmpty {
            overloadAnswers = Shedding.retryAfterSeconds.map { seconds in
                var response = failureResponse(.overloaded)
                response.headers.removeAll { Octets.equalIgnoringCase($0.name.utf8, "retry-after") }
                response.headers.append(("Retry-After", String(seconds)))
                return response
            }
        }
        nextOverloadAnswer = (nextOverloadAnswer + 1) % overloadAnswers.count
        let answer = overloadAnswers[nextOverloadAnswer]
        if var page = failurePage?(.overloaded, headers) {
            page.headers += answer.headers.filter { Octets.equalIgnoringCase($0.name.utf8, "retry-after") }
            return page
        }
        return route.permit?(answer, headers) ?? answer
    }

    // MARK: Buffers

    func takeOutput() -> [UInt8] {
        spareOutputs.popLast() ?? []
    }

    func recycle(_ output: consuming [UInt8]) {
        guard spareOutputs.count < Worker.maxSpareOutputs, output.capacity <= Worker.maxSpareOutputBytes else { return }
        output.removeAll(keepingCapacity: true)
        spareOutputs.append(output)
    }

    // MARK: Memory

    /// - Parameter delta: change in the bytes that a connection holds; negative for fewer.
    func hold(_ delta: Int) {
        heldBytes += delta
        let unreported = heldBytes - reportedBytes
        guard unreported.magnitude >= MemoryBudget.step else { return }
        memory.add(unreported)
        reportedBytes = heldBytes
    }

    /// True when all connections together have reached the memory limit.
    var isMemoryUsedUp: Bool { memory.isUsedUp(unreported: heldBytes - reportedBytes) }

    func noteRefusedForMemory() { memory.noteRefused() }

    // MARK: Observation

    /// Collects finished exchanges and reports them once a turn, before the responses are sent. The loops share the
    /// observer, so a batch keeps contention low.
    func finished(_ exchange: consuming Exchange) {
        if unobservedExchanges.isEmpty { loop.atTurnEnd { self.notifyObserver() } }
        unobservedExchanges.append(exchange)
    }

    private func notifyObserver() {
        var exchanges: [Exchange] = []
        swap(&exchanges, &unobservedExchanges)
        observe(exchanges)
    }

    // MARK: Ending

    /// From now on every answer says `Connection: close`.
    func beginEnding() {
        loop.post { self.isEnding = true }
    }

    /// Closes idle connections, lets running requests finish, and cuts the remaining ones after `duration`.
    func drain(within duration: Duration) async {
        await withUnsafeContinuation { continuation in
            loop.post { self.beginDraining(continuation, duration) }
        }
    }

    private func beginDraining(_ continuation: UnsafeContinuation<Void, Never>, _ duration: Duration) {
        waitingForEmpty.append(continuation)
        isDraining = true
        isEnding = true
        loop.beginDraining()
        for connection in Array(proxied.values) { drain(connection) }
        for connection in Array(connections.values) { connection.drain() }
        loop.schedule(after: duration) { self.closeAll() }
        finishDrainingWhenEmpty()
    }

    func closeAll() {
        for connection in Array(connections.values) { connection.abort() }
    }

    private func finishDrainingWhenEmpty() {
        guard connections.isEmpty, proxied.isEmpty else { return }
        let waiting = waitingForEmpty
        waitingForEmpty = []
        for continuation in waiting { continuation.resume() }
    }
}
