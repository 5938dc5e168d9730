/// When a connection has waited long enough (HTTP-31), in monotonic nanoseconds.
struct Deadlines {
    private let header: UInt64
    private let request: UInt64
    private let keepAlive: UInt64
    private let response: UInt64
    private let linger: UInt64

    private var input = UInt64.max
    private var output = UInt64.max
    private var end = UInt64.max
    private var idleSince: UInt64 = 0
    /// The idle time was cut short to look whether the last answer was read.
    private(set) var mayStayIdle = false
    private var blockedBytes = 0

    /// A peer that takes that much of a blocked output has earned another term; one that takes a byte now and then
    /// has not.
    private static let progressBytes = 64 * 1024

    init(_ limits: Limits) {
        header = limits.headerTimeout.wholeNanoseconds
        request = limits.requestTimeout.wholeNanoseconds
        keepAlive = limits.keepAliveTimeout.wholeNanoseconds
        response = limits.responseTimeout.wholeNanoseconds
        linger = limits.lingerTimeout.wholeNanoseconds
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

    mutating func outputBlocked(_ unsent: Int, at now: UInt64) {
        if output == .max || blockedBytes - unsent >= Deadlines.progressBytes {
            output = now + response
            blockedBytes = unsent
        }
        blockedBytes = max(blockedBytes, unsent)
    }

    mutating func outputSent() {
        output = .max
    }

    mutating func lingering(from now: UInt64) {
        end = now + linger
    }
}
