/// When a connection has waited too long (HTTP-31), in monotonic nanoseconds.
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
    /// Time of the last answer, or of the start of the connection.
    private var idleSince: UInt64 = 0
    /// The idle time was shortened to check whether the last answer was read.
    private(set) var mayStayIdle = false
    /// Bytes of blocked output that the peer must still take to get another term.
    private var owedBytes = 0

    /// A peer that takes this much, or everything there was, gets another term. Taking a byte now and then is not
    /// enough.
    static let progressBytes = 64 * 1024

    /// - Parameter isProxy: the peer is a trusted proxy.
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

    /// All input is parsed. The time of an incomplete request counts from its first byte.
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

    /// Counts the bytes taken, not the bytes left, because a stream keeps adding output.
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

    /// Our side is shut. Input is read for `lingerTimeout` after its last byte, and for `lingerLimit` in total; a
    /// server that is shutting down allows only `drainGrace`.
    mutating func lingering(from now: UInt64, isDraining: Bool) {
        lingeringUntil = min(lingeringUntil, now + (isDraining ? drainGrace : lingerLimit))
        lingered(at: now)
    }

    mutating func lingered(at now: UInt64) {
        end = min(lingeringUntil, now + linger)
    }

    /// The server is shutting down. A client that was busy a moment ago may have sent its next request before it saw
    /// the shutdown, so it gets `drainGrace` (OPS-01).
    /// - Returns: false when that time is over.
    mutating func draining(at now: UInt64) -> Bool {
        let due = idleSince + drainGrace
        guard due > now else { return false }
        mayStayIdle = false
        input = due
        return true
    }
}
