/// One client connection: reads requests, runs one at a time, writes the answers in order. Confined to its loop.
///
///     reading --request complete--> running --answer, end of a stream--> reading
///        |                            |
///        +-- refusal, close, end -----+--> closing --all sent--> lingering --> closed
///
/// An idle connection holds no buffer: it reads into the loop's, and only what is left over is kept.
final class Connection: Pollable, @unchecked Sendable {
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

    /// What the request at hand will get once its body is there.
    enum Plan {
        case run(Route, Request)
        case answer(Response)
    }

    let worker: Worker
    let peer: PeerAddress
    let descriptor: Int32
    var phase = Phase.reading
    // Changed many times a request, and only by methods of the values themselves, which know no connection: the check
    // at run time that no two changes overlap cost a tenth of a request (so in `Worker` and `EventLoop`).
    @exclusivity(unchecked) var parser: RequestParser
    @exclusivity(unchecked) var exchange = CurrentExchange()
    @exclusivity(unchecked) var plan: Plan?
    private var token: UInt64 = 0
    private var interest: Poller.Interest = .readable
    var task: Task<Void, Never>?
    /// What the task is to do, until it begins.
    var job: (respond: @Sendable (Request) async -> Response, request: Request)?
    /// The response that the task writes piece by piece, while it does.
    var stream: ResponseStream?

    /// Received and not yet parsed, from `pendingStart` on.
    @exclusivity(unchecked) private var pending: [UInt8] = []
    @exclusivity(unchecked) private var pendingStart = 0
    /// Input behind the request at hand has arrived already.
    private(set) var hasMoreInput = false
    /// The peer sends no more. It may still read.
    private(set) var isInputEnded = false
    private var lingeredBytes = 0

    @exclusivity(unchecked) private var output: [UInt8] = []
    @exclusivity(unchecked) private var outputStart = 0
    private var isFlushScheduled = false
    private var isOutputBlocked = false
    /// Answers since the last flush; bounded, so that one who pipelines thousands of requests cannot hold up the
    /// others.
    var answersThisTurn = 0
    private static let maxAnswersATurn = 16

    @exclusivity(unchecked) var deadlines: Deadlines
    private var timer: TimerToken?
    private var timerIsFor = UInt64.max

    init(_ worker: Worker, _ descriptor: Int32, _ peer: PeerAddress) {
        self.worker = worker
        self.descriptor = descriptor
        self.peer = peer
        parser = RequestParser(limits: worker.limits)
        deadlines = Deadlines(worker.limits)
    }

    /// Begins to watch the descriptor. False when the system refuses.
    func open() -> Bool {
        guard let token = try? worker.loop.register(self, descriptor, interest) else { return false }
        self.token = token
        deadlines.connected(at: worker.loop.now)
        armTimer()
        return true
    }

    var unsentBytes: Int { output.count - outputStart }
    private var pendingBytes: Int { pending.count - pendingStart }
    var isOutputFull: Bool { unsentBytes > worker.limits.maxOutputBytes }
    private var mayParse: Bool {
        phase == .reading && !isOutputFull && answersThisTurn < Connection.maxAnswersATurn
    }

    // MARK: Readiness

    func ready(_ readiness: Poller.Readiness) {
        if readiness.isGone {
            abort()
            return
        }
        if readiness.isWritable { flush() }
        if readiness.isReadable, phase != .closed { receive() }
    }

    private func receive() {
        switch Socket.receive(descriptor, into: &worker.scratch) {
        case .done(0): inputEnded()
        case .done(let count): received(count)
        case .wouldBlock: return
        case .failed: abort()
        }
        settle()
    }

    private func received(_ count: Int) {
        switch phase {
        case .reading where pendingBytes == 0 && mayParse: parse(fresh: count)
        case .reading, .running:
            pending.append(contentsOf: worker.scratch[..<count])
            if phase == .reading { parsePending() }
        case .closing, .lingering:
            lingeredBytes += count
            if phase == .lingering, lingeredBytes > worker.limits.maxLingerBytes { close() }
        case .closed: break
        }
    }

    private func inputEnded() {
        isInputEnded = true
        switch phase {
        case .reading: parsePending()
        case .lingering: close()
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
            guard take(event, moreWaits: next < count) else { break }
        }
        if next < count, phase == .reading || phase == .running { pending = Array(buffer[next..<count]) }
    }

    /// Parses what was kept while a request ran or the output was full.
    private func parsePending() {
        while mayParse {
            if pendingBytes > 0 { exchange.beginIfNeeded(at: worker.loop.now) }
            let start = pendingStart
            let event = parser.feed(pending.span, from: &pendingStart, to: pending.count)
            exchange.bytesIn += pendingStart - start
            guard take(event, moreWaits: pendingBytes > 0) else {
                if isInputEnded { endedWithin() }
                break
            }
        }
        dropParsed()
    }

    /// Goes on behind the answer just written, with what arrived while it was made.
    func resumeReading() {
        if phase == .reading, pendingBytes > 0 || isInputEnded { parsePending() }
        settle()
    }

    /// Whether another request waits decides if an answer may be the last one.
    func notePendingInput() {
        hasMoreInput = pendingBytes > 0
    }

    private func dropParsed() {
        if pendingBytes == 0 || phase == .closing {
            pending = []
            pendingStart = 0
        } else if pendingStart > 16 * 1024 {
            pending.removeFirst(pendingStart)
            pendingStart = 0
        }
    }

    /// Returns false when more input is needed.
    private func take(_ event: RequestParser.Event, moreWaits: Bool) -> Bool {
        hasMoreInput = moreWaits
        switch event {
        case .needMore:
            // An empty line before a request does not start its time.
            if parser.isIdle { exchange = CurrentExchange() }
            deadlines.waiting(for: parser, since: exchange.startedAt, now: worker.loop.now)
            return false
        case .head(let head): headArrived(head, moreWaits: moreWaits)
        case .complete: requestArrived()
        case .failed(let failure): parsingFailed(failure)
        }
        return true
    }

    /// The peer sends no more: the end between requests is as it should be, within one it is an error (HTTP-22).
    private func endedWithin() {
        if parser.isIdle { beginClosing() } else { refuse(.badRequest(reason: "incomplete request")) }
    }

    // MARK: Output

    /// True when the answer has to be the last one.
    func mustClose() -> Bool {
        !exchange.keepsAlive || (worker.isDraining || isInputEnded) && !hasMoreInput
    }

    /// Lets `write` append to the output and returns how many bytes it added.
    func write(_ write: (inout [UInt8]) -> Void) -> Int {
        if output.capacity == 0 { output = worker.takeOutput() }
        let before = output.count
        write(&output)
        if !isFlushScheduled, !isOutputBlocked {
            isFlushScheduled = true
            worker.loop.flushAtTurnEnd(self)
        }
        return output.count - before
    }

    /// Sends what was collected; at the end of a turn, and when a slow peer takes more.
    func flush() {
        isFlushScheduled = false
        guard phase != .closed else { return }
        var taken = 0
        if unsentBytes > 0 {
            switch Socket.send(descriptor, output, from: outputStart) {
            case .done(let count):
                outputStart += count
                taken = count
            case .wouldBlock: break
            case .failed:
                abort()
                return
            }
        }
        if unsentBytes > 0 {
            outputIsBlocked(taken)
        } else {
            outputIsSent()
        }
        stream?.flushed(taken)
        answersThisTurn = 0
        // In the next turn, after the events that wait.
        if phase == .reading, pendingBytes > 0 || isInputEnded { worker.loop.post { self.resumeParsing() } }
        settle()
    }

    private func resumeParsing() {
        guard phase == .reading else { return }
        parsePending()
        settle()
    }

    private func outputIsBlocked(_ taken: Int) {
        isOutputBlocked = true
        deadlines.outputBlocked(unsentBytes, taken: taken, at: worker.loop.now)
        if outputStart > 64 * 1024 {
            output.removeFirst(outputStart)
            outputStart = 0
        }
    }

    private func outputIsSent() {
        isOutputBlocked = false
        deadlines.outputSent()
        outputStart = 0
        if output.capacity > 0 {
            var spare: [UInt8] = []
            swap(&spare, &output)
            worker.recycle(spare)
        }
        if phase == .closing { linger() }
    }

    // MARK: Ending

    /// Nothing more is read as a request; the connection ends when the output is sent.
    func beginClosing() {
        guard phase == .reading else { return }
        phase = .closing
        dropParsed()
        if unsentBytes == 0 { linger() }
    }

    private func linger() {
        Socket.finishSending(descriptor)
        if isInputEnded || lingeredBytes > worker.limits.maxLingerBytes {
            close()
        } else {
            phase = .lingering
            deadlines.lingering(from: worker.loop.now)
        }
    }

    /// The server is about to end: an idle connection closes, any other after its answer. A stream is told to end.
    func drain() {
        stream?.drain()
        guard phase == .reading, parser.isIdle, pendingBytes == 0 else { return }
        // A request that has arrived already is still answered.
        receive()
        if phase == .reading, parser.isIdle, pendingBytes == 0 { beginClosing() }
        settle()
    }

    /// The peer is gone, or has to go: the running request is cancelled and the descriptor closed.
    func abort() {
        task?.cancel()
        close()
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        stream?.connectionClosed()
        worker.loop.unregister(token, descriptor)
        Socket.close(descriptor)
        timer?.cancel()
        timer = nil
        pending = []
        output = []
        plan = nil
        worker.closed(self)
    }

    // MARK: Interest and time

    /// Brings the set's interest and the timer in line with the state. System calls only when something changed.
    func settle() {
        guard phase != .closed else { return }
        var wanted: Poller.Interest = []
        if wantsInput { wanted.insert(.readable) }
        if isOutputBlocked { wanted.insert(.writable) }
        if wanted != interest {
            interest = wanted
            worker.loop.change(token, descriptor, wanted)
        }
        armTimer()
    }

    private var wantsInput: Bool {
        if isInputEnded { return false }
        switch phase {
        case .reading, .running: return pendingBytes < worker.limits.maxPipelinedBytes && !isOutputFull
        case .closing, .lingering: return lingeredBytes <= worker.limits.maxLingerBytes
        case .closed: return false
        }
    }

    private var due: UInt64 { min(deadlines.due(in: phase), stream?.due ?? .max) }

    /// Deadlines that move back leave the timer alone: it fires at the old time, finds the new one, and is set again.
    private func armTimer() {
        let due = due
        guard due < timerIsFor else { return }
        timer?.cancel()
        timerIsFor = due
        timer = worker.loop.schedule(at: due) { self.timerFired() }
    }

    private func timerFired() {
        timer = nil
        timerIsFor = .max
        if due <= worker.loop.now { expire() }
        settle()
    }

    private func expire() {
        switch phase {
        case .closed: break
        case .running where !deadlines.isOutputOverdue(at: worker.loop.now) && stream?.isTaken() == true: break
        case .running, .closing, .lingering: abort()
        case .reading where deadlines.isOutputOverdue(at: worker.loop.now): abort()
        case .reading where !parser.isIdle: refuse(.requestTimeout)
        case .reading:
            // The kernel may hold an answer that the peer does not read (HTTP-31).
            if deadlines.mayStayIdle, Socket.unsentBytes(descriptor) == 0 {
                deadlines.stayIdle()
            } else if Socket.unsentBytes(descriptor) > 0 {
                abort()
            } else {
                beginClosing()
            }
        }
    }
}
