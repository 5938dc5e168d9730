internal import CLinux

/// The readiness of descriptors, a wake-up from other threads and a timer, in one set: epoll with an eventfd and a
/// timerfd.
///
/// Everything except `wake` is confined to the loop that owns the poller. Only Linux is implemented; another platform
/// would need its own file with the same members.
struct Poller: ~Copyable {
    /// The events that a descriptor is watched for. A close by the peer is always reported.
    struct Interest: OptionSet {
        let rawValue: UInt32
        static let readable = Interest(rawValue: UInt32(CLINUX_READABLE) | UInt32(CLINUX_PEER_SHUT))
        static let writable = Interest(rawValue: UInt32(CLINUX_WRITABLE))
    }

    /// The events reported for a descriptor.
    struct Readiness {
        fileprivate let bits: UInt32
        /// There is input, or the peer has ended its side, which the next read will report.
        var isReadable: Bool { bits & UInt32(CLINUX_READABLE | CLINUX_PEER_SHUT) != 0 }
        var isWritable: Bool { bits & UInt32(CLINUX_WRITABLE) != 0 }
        /// Closed both ways. Input that arrived before can still be read.
        var isGone: Bool { bits & UInt32(CLINUX_GONE) != 0 }
        /// Reset, or abandoned by the kernel: nothing can be sent.
        var isBroken: Bool { bits & UInt32(CLINUX_BROKEN) != 0 }
    }

    enum Event {
        case ready(UInt64, Readiness)
        case woken
        case timer
    }

    /// Readable whenever an event is waiting: epoll sets can be nested.
    let descriptor: Int32
    private let wakeDescriptor: Int32
    private let timerDescriptor: Int32
    /// Filled by `wait`. A plain buffer, so that waiting changes no stored property and `wake` may read the others at
    /// the same time.
    private let events: UnsafeMutableBufferPointer<clinux_event>
    /// The most events that one wait reports.
    static let maxEvents = 256

    // Tokens of the set's own descriptors; those of callers are smaller.
    private static let wakeToken = UInt64.max
    private static let timerToken = UInt64.max - 1

    private init(set: Int32, wake: Int32, timer: Int32) {
        descriptor = set
        wakeDescriptor = wake
        timerDescriptor = timer
        events = .allocate(capacity: Poller.maxEvents)
        events.initialize(repeating: clinux_event())
        // Edge triggered: every signal and every expiry is reported once, without a read to clear it.
        let once = UInt32(CLINUX_READABLE | CLINUX_EDGE)
        _ = clinux_epoll_add(set, wake, Poller.wakeToken, once)
        _ = clinux_epoll_add(set, timer, Poller.timerToken, once)
    }

    /// - Throws: when the process has no free descriptor.
    static func make() throws(SocketError) -> Poller {
        let calls: [(String, () -> Int32)] = [
            ("epoll_create1", clinux_epoll_create), ("eventfd", clinux_eventfd), ("timerfd_create", clinux_timerfd),
        ]
        var opened: [Int32] = []
        for (call, open) in calls {
            let result = open()
            guard result >= 0 else {
                for descriptor in opened { Socket.close(descriptor) }
                throw SocketError(call: call, code: -result)
            }
            opened.append(result)
        }
        return Poller(set: opened[0], wake: opened[1], timer: opened[2])
    }

    deinit {
        Socket.close(descriptor)
        Socket.close(wakeDescriptor)
        Socket.close(timerDescriptor)
        events.deallocate()
    }

    func add(_ descriptor: Int32, token: UInt64, _ interest: Interest) throws(SocketError) {
        _ = try Poller.checked("epoll_ctl", clinux_epoll_add(self.descriptor, descriptor, token, interest.rawValue))
    }

    func change(_ descriptor: Int32, token: UInt64, _ interest: Interest) {
        _ = clinux_epoll_modify(self.descriptor, descriptor, token, interest.rawValue)
    }

    func remove(_ descriptor: Int32) {
        _ = clinux_epoll_remove(self.descriptor, descriptor)
    }

    /// Makes the set readable, from any thread.
    func wake() {
        _ = clinux_eventfd_signal(wakeDescriptor)
    }

    /// Fires once at this monotonic time; replaces the previous time.
    func armTimer(at nanoseconds: UInt64) {
        _ = clinux_timerfd_arm(timerDescriptor, nanoseconds)
    }

    /// Waits until something happens, at most `milliseconds`. Returns how many events `event(at:)` now holds.
    func wait(milliseconds: Int32) -> Int {
        let count = clinux_epoll_wait(descriptor, events.baseAddress, Int32(events.count), milliseconds)
        return max(0, Int(count))
    }

    func event(at index: Int) -> Event {
        let event = events[index]
        switch event.token {
        case Poller.wakeToken: return .woken
        case Poller.timerToken: return .timer
        default: return .ready(event.token, Readiness(bits: event.readiness))
        }
    }

    /// Monotonic time in nanoseconds, without a system call.
    static func now() -> UInt64 {
        clinux_monotonic_ns()
    }

    private static func checked(_ call: String, _ result: Int32) throws(SocketError) -> Int32 {
        guard result >= 0 else { throw SocketError(call: call, code: -result) }
        return result
    }
}
