/// One client connection: reads requests, runs one at a time, writes the answers in order. Confined to its loop.
///
///     reading --request complete--> running --answer, end of a stream--> reading
///        |                            |
///        +-- refusal, close, end -----+--> closing --all sent--> lingering --> closed
///
/// An idle connection holds no buffer: it reads into the loop's, and only what is left over is kept.
final class Connection: Pollable, Startable, @unchecked Sendable {
    // Sendable: confined to `worker.loop`, and so never used by two threads at a time.

    enum Phase {
        /// Between requests, or in the middle of one that has not arrived in full.
        case reading
        /// A handler is at work.
        case running
        /// The last answer is on its way; what arrives is thrown away.
        case closing
        /// All is sent and our side is shut; the peer gets time to read before the end (RFC 9112 section 9.6).
        case lingering
        case closed
    }

    /// The plan for the request at hand, once its body is there.
    enum Plan {
        case run(Route, Request)
        case answer(Response)
        /// It has its answer already; what is left of its body is read past (HTTP-23).
        case discard
    }

    let worker: Worker
    let peer: PeerAddress
    let transport: ConnectionTransport
    let place: Admission.Place
    var phase = Phase.reading
    // Changed many times a request, and only by methods of the values themselves, which know no connection: the check
    // at run time that no two changes overlap cost a tenth of a request (so in `Worker` and `EventLoop`).
    @exclusivity(unchecked) var parser: RequestParser
    @exclusivity(unchecked) var exchange = CurrentExchange()
    @exclusivity(unchecked) var plan: Plan?
    /// The route has been asked whether it refuses the request at hand.
    var isAsked = false
    private(set) var token: UInt64 = 0
    var interest: Poller.Interest = .readable
    var task: Task<Void, Never>?
    /// The decision on the request at hand, which will be at work or is.
    var admitted = Shedding.Admitted(demand: .reads)
    /// The job of the task, until it begins.
    var job: (route: Route, request: Request)?
    /// The response that the task writes piece by piece, while it does.
    var stream: ResponseStream?

    /// Received and not yet parsed, from `pendingStart` on.
    @exclusivity(unchecked) var pending: [UInt8] = []
    @exclusivity(unchecked) var pendingStart = 0
    /// Input behind the request at hand has arrived already.
    private(set) var hasMoreInput = false
    /// The peer sends no more. It may still read.
    private(set) var isInputEnded = false
    private(set) var lingeredBytes = 0
    private var isReceiveScheduled = false

    @exclusivity(unchecked) var output: [UInt8] = []
    @exclusivity(unchecked) var outputStart = 0
    /// A body that is sent from where it lies, behind `output`. Until it is gone no further request is begun.
    @exclusivity(unchecked) var sharedOutput: [UInt8] = []
    @exclusivity(unchecked) var sharedStart = 0
    var isFlushScheduled = false
    var isOutputBlocked = false
    /// Bytes of the budget that this connection holds.
    var heldBytes = 0
    /// Bytes of the request at work, which it keeps until it is answered.
    var requestBytes = 0
    /// Answers since the last flush; bounded, so that one who pipelines thousands of requests cannot hold up the
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

    /// Begins to watch the descriptor. False when the system refuses.
    func open() -> Bool {
        guard let token = try? worker.loop.register(self, transport.descriptor, interest) else { return false }
        self.token = token
        // Not the turn's time: the process may have stood still since then, and the peer gets its whole term.
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

    /// Whether a connection that is closed both ways still has to be read: what arrived before the end is a request to
    /// answer, and to close with unread input would reset the connection and cut the answer on its way.
    private func mayReadOn(_ readiness: Poller.Readiness) -> Bool {
        !readiness.isBroken && (phase == .reading || phase == .lingering)
    }

    func receive() {
        if transport.isInHandshake, !worker.mayTakeHandshakeStep() { return }
        switch transport.receive(into: &worker.scratch) {
        case .done(0): inputEnded()
        case .done(let count): received(count)
        // A step of a handshake, perhaps, that has something to write now.
        case .wouldBlock: break
        case .failed: abort()
        }
        updateInterestAndTimer()
    }

    /// Comes back for what the transport holds: the socket reports nothing of it.
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

    /// Parses out of the loop's buffer; keeps a copy of what is left over.
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

    /// Parses what was kept while a request ran or the output was full.
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

    /// Goes on behind the answer just written, with what arrived while it was made.
    func resumeReading() {
        if phase == .reading, pendingBytes > 0 || isInputEnded { parsePending() }
        updateInterestAndTimer()
    }

    /// Whether another request waits decides if an answer may be the last one.
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

    /// Returns false when more input is needed.
    ///
    /// - Parameter waiting: bytes behind the event that have arrived already.
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

    /// All input is taken, and the request is not complete. This is the moment to say no from the head: a request that
    /// arrives in one piece never comes here.
    private func inputRanOut() {
        if parser.isInBody { bodyIsOutstanding() }
        guard phase == .reading else { return }
        // An empty line before a request does not start its time.
        if parser.isIdle { exchange = CurrentExchange() } else { exchange.beginIfNeeded(at: worker.loop.now) }
        deadlines.waiting(for: parser, since: exchange.startedAt, now: worker.loop.now)
        if parser.heldBytes > worker.limits.smallRequestBytes, worker.isMemoryUsedUp {
            worker.noteRefusedForMemory()
            refuse(.overloaded)
        }
    }

    /// The peer sends no more: the end between requests is as it should be, within one it is an error (HTTP-22).
    private func endedWithin() {
        guard phase == .reading else { return }
        if parser.isIdle || isDiscarding { beginClosing() } else { refuse(.badRequest(reason: "incomplete request")) }
    }

    /// The request at hand is answered, and the rest of its body is still to come.
    var isDiscarding: Bool {
        if case .discard = plan { true } else { false }
    }
}
