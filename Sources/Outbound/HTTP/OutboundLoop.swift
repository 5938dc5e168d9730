internal import CCurl
internal import Dispatch
internal import Locks
internal import Possession
internal import Text

/// A call that is passed to the loop.
struct OutboundOrder: Sendable {
    let number: Int
    let request: OutboundRequest
    let deadline: ContinuousClock.Instant
    /// Addresses of the URL's name; `nil`: libcurl looks it up.
    var addresses: [IPAddress]?
    let caller: CheckedContinuation<Result<OutboundResponse, OutboundFault>, Never>
}

/// The thread of all outbound calls. libcurl runs them concurrently; other threads reach it only through orders.
final class OutboundLoop: @unchecked Sendable {
    // Sendable: the variables are used on `queue`, whose only block is the loop; the rest is immutable or locked.
    private let queue = DispatchQueue(label: "holdfast.outbound")
    private var calls: [Int: Call] = [:]
    private var peers: [String: Peer] = [:]
    private var lookups: NameLookups
    /// No call has an earlier deadline.
    private var earliest: ContinuousClock.Instant?
    /// Some connections may be open.
    private var hasConnections = false

    private enum Call {
        /// Waits for the addresses of its name, until shortly before the call's own deadline.
        case seeking(OutboundOrder, name: ByteText, until: ContinuousClock.Instant)
        /// Waits for a connection.
        case waiting(OutboundOrder)
        case running(OutboundTransfer)

        var order: OutboundOrder {
            switch self {
            case .seeking(let order, _, _): order
            case .waiting(let order): order
            case .running(let transfer): transfer.order
            }
        }

        var deadline: ContinuousClock.Instant {
            if case .seeking(_, _, let end) = self { end } else { order.deadline }
        }

        /// The caller's result when the time is over.
        var late: Result<OutboundResponse, OutboundFault> {
            if case .running(let transfer) = self, let beginning = transfer.beginning { return .success(beginning) }
            return .failure(.timeout)
        }
    }

    /// The calls to one host and port. libcurl 7.88 can limit its connections too, but then loses waiting calls.
    private struct Peer {
        var running = 0
        /// In order of arrival; some may have ended.
        var waiting: ArraySlice<Int> = []
    }

    private struct Orders: Sendable {
        var started: [OutboundOrder] = []
        var cancelled: [Int] = []
        var lookedUp: [(name: ByteText, addresses: [IPAddress])] = []
        var isClosing = false
        var wasClosed: CheckedContinuation<Void, Never>?
    }

    private let orders = Locked(Orders())
    private let multi: OutboundMulti
    private let connectTimeout: Duration
    private let limits: OutboundLimits
    private let lookUp: NameLookup

    /// `nil`: libcurl is not available.
    init?(connectTimeout: Duration, limits: OutboundLimits, lookUp: @escaping NameLookup) {
        guard let multi = OutboundMulti(limits) else { return nil }
        self.multi = multi
        self.connectTimeout = connectTimeout
        self.limits = limits
        self.lookUp = lookUp
        lookups = NameLookups(limits)
        queue.async { self.run() }
    }

    // MARK: For any thread

    func start(_ order: OutboundOrder) {
        let isClosing = orders.withLock { orders in
            if !orders.isClosing { orders.started.append(order) }
            return orders.isClosing
        }
        if isClosing { order.caller.resume(returning: .failure(.cancelled)) } else { multi.wake() }
    }

    /// Cancels a call; does nothing if it has ended.
    func cancel(_ number: Int) {
        give { $0.cancelled.append(number) }
    }

    /// Cancels all calls and ends the thread.
    func close() async {
        await withCheckedContinuation { continuation in
            give { orders in
                orders.isClosing = true
                orders.wasClosed = continuation
            }
        }
    }

    private func give(_ change: (inout Orders) -> Void) {
        orders.withLock { change(&$0) }
        multi.wake()
    }

    // MARK: The thread

    private func run() {
        while true {
            let taken = take()
            if taken.isClosing {
                end(taken)
                return
            }
            for order in taken.started { begin(order) }
            for (name, addresses) in taken.lookedUp { found(addresses, of: name) }
            for number in taken.cancelled { finish(number, .failure(.cancelled)) }
            multi.perform()
            while let (transfer, result) = multi.nextDone() { finish(transfer.order.number, transfer.outcome(result)) }
            expire()
            wait()
        }
    }

    private func take() -> Orders {
        orders.withLock { orders in
            defer {
                orders.started = []
                orders.cancelled = []
                orders.lookedUp = []
            }
            return orders
        }
    }

    private func begin(_ order: OutboundOrder) {
        guard calls.count < limits.calls else {
            order.caller.resume(returning: .failure(.failed(reason: "too many calls are under way")))
            return
        }
        if let name = order.request.soughtName?.name, let client = order.request.client {
            let end = min(order.deadline, .now + connectTimeout)
            let answer = lookups.ask(name, for: order.number, of: client, at: .now)
            if case .known(let addresses) = answer {
                var order = order
                order.addresses = addresses
                return connect(order)
            }
            calls[order.number] = .seeking(order, name: name, until: end)
            earliest = min(earliest ?? end, end)
            if answer == .begins { seek(name) }
        } else {
            connect(order)
        }
    }

    /// Starts a look-up. Its answer comes as an order, even if no call waits for it.
    private func seek(_ name: ByteText) {
        lookUp(name.text) { addresses in self.give { $0.lookedUp.append((name, addresses)) } }
    }

    private func found(_ addresses: [IPAddress], of name: ByteText) {
        let (numbers, next) = lookups.end(name, addresses, at: .now)
        for name in next { seek(name) }
        for number in numbers {
            guard case .seeking(var order, _, _)? = calls[number] else { continue }
            guard !addresses.isEmpty else {
                finish(number, .failure(.connect))
                continue
            }
            order.addresses = addresses
            connect(order)
        }
    }

    private func connect(_ order: OutboundOrder) {
        calls[order.number] = .waiting(order)
        earliest = min(earliest ?? order.deadline, order.deadline)
        let peer = order.request.peer
        if peers[peer, default: Peer()].running < limits.connectionsPerHost {
            run(order)
        } else {
            peers[peer]?.waiting.append(order.number)
        }
    }

    private func run(_ order: OutboundOrder) {
        peers[order.request.peer, default: Peer()].running += 1
        let transfer = OutboundTransfer(order, connectTimeout: connectTimeout, limits: limits)
        if let transfer, multi.add(transfer) {
            calls[order.number] = .running(transfer)
        } else {
            calls[order.number] = nil
            order.caller.resume(returning: .failure(.failed(reason: "the call could not be made")))
            leave(order.request.peer)
        }
    }

    private func finish(_ number: Int, _ result: Result<OutboundResponse, OutboundFault>) {
        guard let call = calls.removeValue(forKey: number) else { return }
        call.order.caller.resume(returning: result)
        switch call {
        case .seeking(_, let name, _): lookups.forget(number, name)
        case .waiting: break
        case .running(let transfer):
            multi.remove(transfer)
            leave(transfer.order.request.peer)
        }
    }

    /// A call to the peer has ended: starts the next one.
    private func leave(_ peer: String) {
        peers[peer]?.running -= 1
        while let number = peers[peer]?.waiting.popFirst() {
            if case .waiting(let order)? = calls[number] { return run(order) }
        }
        if peers[peer]?.running == 0 { peers[peer] = nil }
    }

    /// Ends the calls whose time is over, including waiting ones.
    private func expire() {
        let now = ContinuousClock.now
        guard let earliest, earliest <= now else { return }
        for (number, call) in calls where call.deadline <= now { finish(number, call.late) }
        self.earliest = calls.values.lazy.map(\.deadline).min()
    }

    private func wait() {
        if calls.isEmpty {
            earliest = nil
            let began = ContinuousClock.now
            multi.wait(hasConnections ? limits.idleTimeout : .seconds(3600))
            // libcurl itself closes idle connections only when another call begins, which may be much later.
            if hasConnections, .now - began >= limits.idleTimeout {
                multi.closeConnections()
                hasConnections = false
            }
        } else {
            hasConnections = true
            multi.wait(earliest.map { $0 - .now } ?? limits.idleTimeout)
        }
    }

    private func end(_ last: Orders) {
        for order in last.started { order.caller.resume(returning: .failure(.cancelled)) }
        peers = [:]
        for number in Array(calls.keys) { finish(number, .failure(.cancelled)) }
        multi.closeConnections()
        last.wasClosed?.resume()
    }
}
