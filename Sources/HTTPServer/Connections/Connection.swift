/// One client connection: reads requests, runs one at a time, writes the answers in order. Confined to its loop.
///
///     reading --request complete--> running --answer, end of a stream--> reading
///        |                            |
///        +-- refusal, close, end -----+--> closing --all sent--> lingering --> closed
///
/// An idle connection holds no buffer: it reads into the loop's buffer and keeps only unparsed bytes.
final class Connection: Pollable, Startable, @unchecked Sendable {
    // Sendable: confined to `worker.loop`, so two threads never use it at the same time.

    enum Phase {
        /// Between requests, or while a request is arriving.
        case reading
        /// A handler is running.
        case running
        /// The last answer is being sent; input is discarded.
        case closing
        /// Everything is sent and our side is shut; the peer gets time to read before the close (RFC 9112 section 9.6).
        case lingering
        case closed
    }

    /// Action for the current request when its body has arrived.
    enum Plan {
        case run(Route, Request)
        case answer(Response)
        /// The request is already answered; the rest of its body is discarded (HTTP-23).
        case discard
    }

    let worker: Worker
    let peer: PeerAddress
    let transport: ConnectionTransport
    let place: Admission.Place
    var phase = Phase.reading
    // These values change many times per request, and only through their own methods, which do not access the
    // connection. The runtime exclusivity check cost a tenth of a request, so it is off (also in `Worker` and
    // `EventLoop`).
    @exclusivity(unchecked) var parser: RequestParser
    @exclusivity(unchecked) var exchange = CurrentExchange()
    @exclusivity(unchecked) var plan: Plan?
    /// The route has already been asked whether it refuses the current request.
    var isAsked = false
    private(set) var token: UInt64 = 0
    var interest: Poller.Interest = .readable
    var task: Task<Void, Never>?
    /// The admission decision for the current request.
    var admitted = Shedding.Admitted(demand: .reads)
    /// The job for the task, until the task begins.
    var job: (route: Route, request: Request)?
    /// The response that the task is streaming.
    var stream: ResponseStream?

    /// Received but not yet parsed, from `pendingStart` on.
    @exclusivity(unchecked) var pending: [UInt8] = []
    @exclusivity(unchecked) var pendingStart = 0
    /// Input after the current request has already arrived.
    private(set) var hasMoreInput = false
    /// The peer sends no more. It may still read.
    private(set) var isInputEnded = false
    private(set) var lingeredBytes = 0
    private var isReceiveScheduled = false

    @exclusivity(unchecked) var output: [UInt8] = []
    @exclusivity(unchecked) var outputStart = 0
    /// A body that is sent without a copy, after `output`. Until it is sent, no further request begins.
    @exclusivity(unchecked) var sharedOutput: [UInt8] = []
    @exclusivity(unchecked) var sharedStart = 0
    var isFlushScheduled = false
    var isOutputBlocked = false
    /// Bytes of the memory budget that this connection uses.
    var heldBytes = 0
    /// Bytes of the running request, held until it is answered.
    var requestBytes = 0
    /// Answers since the last flush. Limited, so that one client that pipelines thousands of requests cannot delay the
    /// others.
    var answersThisTurn = 0
    static let maxAnswersATurn = 16

    @exclusivity(unchecked) var deadlines: Deadlines
    var timer: TimerToken?
    var timerIsFor = UInt64.max

    init(_ worker: Worker, _ transport: ConnectionTransport, _ peer: PeerAddress, _ place: Admission.Place) {
        self.worker = worker
        self.transport = transport
        self.peer = peer
        self.place = place
        parser = RequestParser(limits: worker.limits)
        deadlines = Deadlines(worker.limits, place, isProxy: worker.isProxy(peer))
    }

    /// Begins to watch the descriptor. Returns false when the system refuses.
    func open() -> Bool {
        guard let token = try? worker.loop.register(self, transport.descriptor, interest) else { return false }
        self.token = token
        // Reads the clock instead of the turn's time: the process may have been suspended in between, and the peer gets
        // its full time.
        deadlines.connected(at: worker.loop.time)
        armTimer()
        return true
    }

    var pendingBytes: Int { pending.count - pendingStart }
    private var mayParse: Bool {
        phase == .reading && !isOutputFull && answersThisTurn < Connection.maxAnswersATurn
    }

    // MARK: Readiness

    func ready(_ readiness: Poller.Readiness) {
        if readiness.isBroken || readiness.isGone, !mayReadOn(readiness) {
            abort()
            return
        }
        if readiness.isWritable { flush() }
        if readiness.isReadable || readiness.isGone, phase != .closed { receive() }
    }

    /// Whether to keep reading a connection that is closed both ways. A request that arrived before the close must be
    /// answered, and a close with unread input would reset the connection and lose the answer.
    private func mayReadOn(_ readiness: Poller.Readiness) -> Bool {
        !readiness.isBroken && (phase == .reading || phase == .lingering)
    }

    func receive() {
        if transport.isInHandshake, !worker.mayTakeHandshakeStep() { return }
        switch transport.receive(into: &worker.scratch) {
        case .done(0): inputEnded()
        case .done(let count): received(count)
        // Possibly a step of the handshake that now has something to write.
        case .wouldBlock: break
        case .failed: abort()
        }
        updateInterestAndTimer()
    }

    /// Schedules another read for input that the transport holds: the socket does not report it.
    func receiveAgain() {
        guard !isReceiveScheduled else { return }
        isReceiveScheduled = true
        worker.loop.post {
            self.isReceiveScheduled = false
            if self.phase != .closed, self.wantsInput { self.receive() }
        }
    }

    private func received(_ count: Int) {
        switch phase {
        case .reading where pendingBytes == 0 && mayParse: parse(fresh: count)
        case .reading, .running:
            pending.append(contentsOf: worker.scratch[..<count])
            if phase == .reading { parsePending() }
        case .closing, .lingering:
            lingeredBytes += count
            guard phase == .lingering else { break }
            if lingeredBytes > worker.limits.maxLingerBytes { close() } else { deadlines.lingered(at: worker.loop.now) }
        case .closed: break
        }
    }

    private func inputEnded() {
        isInputEnded = true
        switch phase {
        case .reading: parsePending()
        case .lingering: closeIfDone()
        case .running, .closing, .closed: break
        }
    }

    // MARK: Parsing

    /// Parses from the loop's buffer; keeps a copy of the unparsed rest.
    private func parse(fresh count: Int) {
        let buffer = worker.scratch
        var next = 0
        while mayParse {
            exchange.beginIfNeeded(at: worker.loop.now)
            let start = next
            let event = parser.feed(buffer.span, from: &next, to: count)
            exchange.bytesIn += next - start
            guard take(event, waiting: count - next) else { break }
        }
        if next < count, phase == .reading || phase == .running { pending = Array(buffer[next..<count]) }
    }

    /// Parses input that was kept while a request ran or the output was full.
    func parsePending() {
        while mayParse {
            if pendingBytes > 0 { exchange.beginIfNeeded(at: worker.loop.now) }
            let start = pendingStart
            let event = parser.feed(pending.span, from: &pendingStart, to: pending.count)
            exchange.bytesIn += pendingStart - start
            guard take(event, waiting: pendingBytes) else {
                if isInputEnded { endedWithin() }
                break
            }
        }
        dropParsed()
    }

    /// Continues after the answer just written, with input that arrived in the meantime.
    func resumeReading() {
        if phase == .reading, pendingBytes > 0 || isInputEnded { parsePending() }
        updateInterestAndTimer()
    }

    /// `mustClose` depends on whether another request is waiting.
    func notePendingInput() {
        hasMoreInput = pendingBytes > 0
    }

    func dropParsed() {
        if pendingBytes == 0 || phase == .closing {
            pending = []
            pendingStart = 0
        } else if pendingStart > 16 * 1024 {
            pending.removeFirst(pendingStart)
            pendingStart = 0
        }
    }

    /// - Parameter waiting: bytes after the event that have already arrived.
    /// - Returns: false when more input is needed.
    private func take(_ event: RequestParser.Event, waiting: Int) -> Bool {
        hasMoreInput = waiting > 0
        switch event {
        case .needMore:
            inputRanOut()
            return false
        case .head(let head): headArrived(head, moreWaits: waiting > 0)
        case .complete: requestArrived()
        case .failed(let failure): parsingFailed(failure)
        }
        return true
    }

    /// All input is parsed and the request is incomplete: the point at which it may be refused from its head. A request
    /// that arrives in one piece never gets here.
    private func inputRanOut() {
        if parser.isInBody { bodyIsOutstanding() }
        guard phase == .reading else { return }
        // An empty line before a request does not start its timer.
        if parser.isIdle { exchange = CurrentExchange() } else { exchange.beginIfNeeded(at: worker.loop.now) }
        deadlines.waiting(for: parser, since: exchange.startedAt, now: worker.loop.now)
        if parser.heldBytes > worker.limits.smallRequestBytes, worker.isMemoryUsedUp {
            worker.noteRefusedForMemory()
            refuse(.overloaded)
        }
    }

    /// The peer sends no more. Between requests this is normal; within a request it is an error (HTTP-22).
    private func endedWithin() {
        guard phase == .reading else { return }
        if parser.isIdle || isDiscarding { beginClosing() } else { refuse(.badRequest(reason: "incomplete request")) }
    }

    /// The current request is answered, and the rest of its body is still to come.
    var isDiscarding: Bool {
        if case .discard = plan { true } else { false }
    }
}
