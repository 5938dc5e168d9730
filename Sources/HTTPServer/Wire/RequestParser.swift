/// Turns a stream of octets into requests: head, then body. It has no socket; the connection feeds it and acts on the
/// events.
///
///     head --.head--> awaiting --receiveBody--> body --.complete--> take...--> head
///
/// It allocates memory as octets arrive, never by an announced length, and reads every octet once.
struct RequestParser {
    enum Event {
        /// All input was read; more is needed.
        case needMore
        /// The head is complete. The caller decides about the body with `receiveBody`.
        case head(RequestHead)
        /// The body is also complete: call `takeBody`.
        case complete
        /// The stream cannot be parsed any further.
        case failed(HTTPFailure)
    }

    private enum Stage {
        case head
        case awaitingDecision
        case fixed(left: Int)
        case chunked(ChunkedDecoder)
        case complete
        case failed
    }

    private let limits: Limits
    private let headLimits: HeadScanner.HeadLimits
    private var stage = Stage.head
    private var scanner = HeadScanner()
    private var framing = BodyFraming.none
    private var body: [UInt8] = []
    private var keepsBody = true
    /// The announced length. No more memory than that is allocated.
    private var announced = Int.max
    /// Octets of the current body, without framing.
    private(set) var bodyBytes = 0

    init(limits: Limits) {
        self.limits = limits
        headLimits = HeadScanner.HeadLimits(limits)
    }

    /// True between requests: nothing of the next one has arrived.
    var isIdle: Bool {
        if case .head = stage { scanner.isPristine } else { false }
    }

    /// True while the head is being read.
    var isInHead: Bool {
        if case .head = stage { true } else { false }
    }

    /// True in the middle of a body.
    var isInBody: Bool {
        switch stage {
        case .fixed, .chunked: true
        case .head, .awaitingDecision, .complete, .failed: false
        }
    }

    /// Bytes of the body that are still to come; `nil` when no length was announced.
    var bytesLeft: Int? {
        if case .fixed(let left) = stage { left } else { nil }
    }

    /// Bytes of memory that the current request uses.
    var heldBytes: Int { body.capacity + (isInHead ? scanner.bytes.count : 0) }

    /// Discards the stored part of the body and all of its rest.
    mutating func dropBody() {
        keepsBody = false
        body = []
    }

    /// Releases all memory. Nothing more is read.
    mutating func end() {
        stage = .failed
        body = []
        scanner = HeadScanner()
    }

    /// The method of the current request, as soon as it is known.
    var method: Method? {
        scanner.method.isEmpty ? nil : Method(scanner.bytes[scanner.method])
    }

    /// Reads octets from `whole[next]` on, up to `end` or the next event, and moves `next` past them.
    mutating func feed(_ whole: Span<UInt8>, from next: inout Int, to end: Int) -> Event {
        let input = whole.extracting(0..<end)
        switch stage {
        case .head: return feedHead(input, &next)
        case .fixed(let left): return feedFixed(input, &next, left)
        case .chunked(var decoder):
            // The decoder leaves the enum while it changes, so that it is not copied.
            stage = .failed
            return feedChunked(input, &next, &decoder)
        case .complete: return .complete
        case .awaitingDecision, .failed: return .needMore
        }
    }

    /// Starts to read the body: stores up to `limit` bytes, or discards up to `limit` bytes.
    mutating func receiveBody(keeping: Bool, limit: Int) {
        guard case .awaitingDecision = stage else { return }
        keepsBody = keeping
        switch framing {
        case .none: stage = .complete
        case .length(let length):
            announced = length
            stage = .fixed(left: length)
        case .chunked:
            announced = .max
            stage = .chunked(ChunkedDecoder(maxBodyBytes: limit))
        }
    }

    /// Returns the body of the complete request; the parser is then ready for the next request.
    mutating func takeBody() -> [UInt8] {
        let taken = body
        stage = .head
        scanner = HeadScanner()
        body = []
        bodyBytes = 0
        return taken
    }

    private mutating func feedHead(_ input: Span<UInt8>, _ next: inout Int) -> Event {
        switch scanner.scan(input, from: &next, limits: headLimits) {
        case .incomplete: return .needMore
        case .failed(let failure): return fail(failure)
        case .complete:
            do {
                let head = try RequestHead(scanner)
                framing = head.framing
                stage = .awaitingDecision
                return .head(head)
            } catch {
                return fail(error)
            }
        }
    }

    private mutating func feedFixed(_ input: Span<UInt8>, _ next: inout Int, _ left: Int) -> Event {
        let end = next + min(left, input.count - next)
        take(input, next..<end)
        let stillLeft = left - (end - next)
        next = end
        stage = stillLeft == 0 ? .complete : .fixed(left: stillLeft)
        return stillLeft == 0 ? .complete : .needMore
    }

    private mutating func feedChunked(_ input: Span<UInt8>, _ next: inout Int, _ decoder: inout ChunkedDecoder) -> Event
    {
        let verdict = decoder.decode(input, from: &next, limits: limits) { take(input, $0) }
        switch verdict {
        case .incomplete:
            stage = .chunked(decoder)
            return .needMore
        case .complete:
            stage = .complete
            return .complete
        case .failed(let failure): return fail(failure)
        }
    }

    private mutating func take(_ input: Span<UInt8>, _ range: Range<Int>) {
        bodyBytes += range.count
        guard keepsBody, !range.isEmpty else { return }
        // Doubles the capacity, so that a long body is not copied for every piece, up to the announced length.
        let needed = body.count + range.count
        if needed > body.capacity { body.reserveCapacity(min(announced, max(needed, body.capacity * 2))) }
        input.extracting(range).withUnsafeBufferPointer { body.append(contentsOf: $0) }
    }

    private mutating func fail(_ failure: HTTPFailure) -> Event {
        stage = .failed
        return .failed(failure)
    }
}
