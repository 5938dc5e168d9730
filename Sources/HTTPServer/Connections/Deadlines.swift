/// When a connection has waited long enough (HTTP-31), in monotonic nanoseconds.
struct Deadlines {
    private let header: UInt64
    private let request: UInt64
    private let keepAlive: UInt64
    private let response: UInt64
    private let linger: UInt64
    private let lingerLimit: UInt64
    private let drainGrace: UInt64

    private var input = UInt64.max
    private var output = UInt64.max
    private var end = UInt64.max
    private var lingeringUntil = UInt64.max
    /// The last answer, or the beginning of the connection.
    private var idleSince: UInt64 = 0
    /// The idle time was cut short to look whether the last answer was read.
    private(set) var mayStayIdle = false
    /// Bytes that the peer has to take of a blocked output to earn another term.
    private var owedBytes = 0

    /// A peer that takes that much, or all there was, has earned another term; one that takes a byte now and then has
    /// not.
    static let progressBytes = 64 * 1024

    /// - Parameter isProxy: of a trusted proxy.
    init(_ limits: Limits, _ place: Admission.Place = .ordinary, isProxy: Bool = false) {
        let most = place == .reserved ? limits.reservedTimeout.wholeNanoseconds : .max
        header = min(limits.headerTimeout.wholeNanoseconds, most)
        request = min(limits.requestTimeout.wholeNanoseconds, most)
        let idle = isProxy ? limits.proxyKeepAliveTimeout : limits.keepAliveTimeout
        keepAlive = min(idle.wholeNanoseconds, most)
        response = min(limits.responseTimeout.wholeNanoseconds, most)
        linger = min(limits.lingerTimeout.wholeNanoseconds, most)
        lingerLimit = min(limits.lingerLimit.wholeNanoseconds, most)
        drainGrace = min(limits.drainGrace.wholeNanoseconds, most)
    }

    func due(in phase: Connection.Phase) -> UInt64 {
        switch phase {
        case .reading: min(input, output)
        case .running, .closing: output
        case .lingering: end
        case .closed: .max
        }
    }

    func isOutputOverdue(at now: UInt64) -> Bool { output <= now }

    mutating func connected(at now: UInt64) {
        idleSince = now
        input = now + header
    }

    /// Input ran out: in the middle of a request its time counts from its first byte.
    mutating func waiting(for parser: borrowing RequestParser, since start: UInt64, now: UInt64) {
        guard !parser.isIdle else { return }
        input = start + (parser.isInHead ? header : request)
    }

    mutating func answered(at now: UInt64) {
        idleSince = now
        mayStayIdle = response < keepAlive
        input = now + min(response, keepAlive)
    }

    mutating func stayIdle() {
        mayStayIdle = false
        input = idleSince + keepAlive
    }

    /// Counts what is taken and not what is left, since a stream puts more behind it.
    ///
    /// - Parameter taken: bytes since the last call.
    mutating func outputBlocked(_ unsent: Int, taken: Int, at now: UInt64) {
        owedBytes -= taken
        if output == .max || owedBytes <= 0 {
            output = now + response
            owedBytes = min(unsent, Deadlines.progressBytes)
        }
    }

    mutating func outputSent() {
        output = .max
    }

    /// Our side is shut. What the peer still sends is read for `lingerTimeout` after its last byte, and for
    /// `lingerLimit` altogether; a server that is about to end has no more time than for an idle connection.
    mutating func lingering(from now: UInt64, isDraining: Bool) {
        lingeringUntil = min(lingeringUntil, now + (isDraining ? drainGrace : lingerLimit))
        lingered(at: now)
    }

    mutating func lingered(at now: UInt64) {
        end = min(lingeringUntil, now + linger)
    }

    /// The server is about to end: until when a client that was busy just now may send its next request. It may have
    /// done so before it can know (OPS-01).
    mutating func draining(at now: UInt64) -> Bool {
        let due = idleSince + drainGrace
        guard due > now else { return false }
        mayStayIdle = false
        input = due
        return true
    }
}
