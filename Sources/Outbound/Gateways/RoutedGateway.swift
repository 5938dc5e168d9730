internal import Locks
package import Engine
package import Possession

/// Sends messages through the gateways of their routes.
///
/// A message tries the legs of its route in order, until a gateway accepts it, none can accept it, or half of the
/// validity of its code or link is over. A gateway that keeps failing, is busy, or has reached its limit of calls is
/// skipped. If a gateway did not answer, it may have sent the message, so no other gateway gets it. The message is given
/// up before a try if another server may have taken it meanwhile.
package final class RoutedGateway: MessageGateway, ReceiptReader {
    /// The result of one try, for metrics and the log.
    package struct Try: Sendable, Equatable {
        package enum Outcome: Sendable, Equatable {
            case taken, failed(GatewayFault.Kind)
            /// Skipped: the circuit is open.
            case left
            /// The limit of concurrent calls is reached.
            case full

            /// The label in metrics and explanations.
            package var label: String {
                switch self {
                case .taken: "taken"
                case .failed(let kind): kind.rawValue
                case .left: "circuit_open"
                case .full: "full"
                }
            }
        }

        package let session: CorrelationID
        package let gateway: String
        package let channel: OutgoingMessage.Channel
        package let country: String?
        package let outcome: Outcome
        package let duration: Duration
        /// The carrier's own code.
        package let code: String?
        /// The reason of the failure, for the log.
        package let reason: String?
    }

    /// Gateways by name, and the routes to them.
    package struct Plan: Sendable {
        package var gateways: [String: Gateway] = [:]
        package var routes: [MessageRoute] = []
    }

    /// One gateway with its limits.
    package struct Gateway: Sendable {
        package var template: TemplateGateway
        package var timeout: Duration
        /// Limit of concurrent calls.
        package var maxCalls: Int
        package var breaker: CircuitBreaker
    }

    private struct Standing {
        var breaker: CircuitBreaker
        var busyUntil: ContinuousClock.Instant?
        var calls = 0
    }

    private struct State {
        var plan: Plan
        var standings: [String: Standing]
        var recent = RecentGateways()
    }

    private let state: Locked<State>
    private let receiptURL: @Sendable (_ gateway: String, _ token: String) -> String
    private let note: @Sendable (Try) -> Void
    private let instant: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - receiptURL: makes the URL for a gateway's receipts.
    ///   - note: called with each try.
    ///   - instant: measures waits.
    package init(
        _ plan: Plan, receiptURL: @escaping @Sendable (_ gateway: String, _ token: String) -> String,
        note: @escaping @Sendable (Try) -> Void = { _ in },
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        state = Locked(State(plan: plan, standings: Self.standings(of: plan, keeping: [:])))
        self.receiptURL = receiptURL
        self.note = note
        self.instant = instant
    }

    private static func standings(of plan: Plan, keeping old: [String: Standing]) -> [String: Standing] {
        plan.gateways.mapValues { gateway in
            var standing = Standing(breaker: gateway.breaker)
            standing.calls = old[gateway.template.name]?.calls ?? 0
            return standing
        }
    }

    /// Replaces the gateways and routes. Calls in progress continue unchanged; circuits start closed.
    package func replace(with plan: Plan) {
        state.withLock { state in
            state.standings = Self.standings(of: plan, keeping: state.standings)
            state.plan = plan
        }
    }

    package func read(_ call: ReceiptCall, from gateway: String) throws(ReceiptRefusal) -> ReceiptReading? {
        // The name comes from a caller, so it must not be hashed in a dictionary.
        let template = state.withLock { state in
            state.plan.gateways.values.first { $0.template.name.utf8.elementsEqual(gateway.utf8) }?.template
        }
        return try template?.read(call)
    }

    /// Whether any route carries messages of a channel.
    package func carries(_ channel: OutgoingMessage.Channel) -> Bool {
        state.withLock { $0.plan.routes.contains { $0.channels.contains(channel) } }
    }

    /// For each gateway by name: whether its circuit is open, and how many calls are in progress.
    package var circuits: [(name: String, isOpen: Bool, calls: Int)] {
        state.withLock { state in
            state.standings.map { ($0.key, !$0.value.breaker.isClosed, $0.value.calls) }.sorted { $0.0 < $1.0 }
        }
    }

    /// The gateway that accepted the newest message of a session, as far as this process remembers.
    package func lastGateway(of session: CorrelationID) -> String? {
        state.withLock { $0.recent[session]?.gateway }
    }

    /// The legs that a message would try on each of its channels, in order.
    package func legs(
        of message: OutgoingMessage
    ) -> [(channel: OutgoingMessage.Channel, legs: [MessageRoute.Leg])] {
        state.withLock { state in
            message.forms.map { form in
                let recent = state.recent[message.correlationID]
                let route = state.plan.routes.first { $0.fits(message, form.channel) }
                let kind: Session.MessageKind = message.code == nil ? .link : .code
                var order = route?.order(of: message, after: Self.last(before: message, recent)) ?? []
                order.removeAll { leg in
                    state.plan.gateways[leg.gateway]?.template.specification.purposes.contains(kind) == false
                        || message.avoids(leg.gateway, on: form.channel)
                }
                // The same message again: the gateway that had it recognizes its ID.
                if let recent, recent.message == message.id,
                    let index = order.firstIndex(where: { $0.gateway.utf8.elementsEqual(recent.gateway.utf8) })
                {
                    order.insert(order.remove(at: index), at: 0)
                }
                return (form.channel, order)
            }
        }
    }

    /// The gateway of the session's previous message. What this process has sent may not be recorded yet, and another
    /// server may have sent a newer message.
    private static func last(before message: OutgoingMessage, _ recent: RecentGateways.Entry?) -> String? {
        guard let recent else { return message.previous?.gateway }
        guard let previous = message.previous, previous.id > recent.message else { return recent.gateway }
        return previous.gateway
    }

    // MARK: Sending

    /// - Throws: the last gateway's fault, or why none was tried. `.givenUp`: another server may have the message.
    package func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
        var refusals: [GatewayRefusal] = []
        do throws(GatewayFault) {
            var acceptance = try await send(message, noting: &refusals)
            acceptance.refusals = refusals
            return acceptance
        } catch {
            var fault = error
            fault.refusals = refusals
            throw fault
        }
    }

    private func send(
        _ message: OutgoingMessage, noting refusals: inout [GatewayRefusal]
    ) async throws(GatewayFault) -> Acceptance {
        let start = instant()
        let useful = message.usefulUntil.milliseconds - message.sentAt.milliseconds
        guard useful > 0 else { throw GatewayFault("the message is of no use any more", kind: .route) }
        let ways = legs(of: message)
        let count = ways.reduce(0) { $0 + Set($1.legs.map(\.gateway)).count }
        let call = Call(message: message, useful: .milliseconds(useful), start: start, hasNext: count > 1)
        var fault: GatewayFault?
        for (channel, legs) in ways {
            guard let form = message.forms.first(where: { $0.channel == channel }) else { continue }
            if legs.isEmpty { fault = fault ?? Self.noRoute(message, channel) }
            for leg in legs {
                switch try await tried(call, form, leg, &refusals) {
                case .taken(let acceptance): return acceptance
                case .failed(let reason): fault = reason
                }
                // The number cannot be reached on this channel: try the next channel.
                if fault?.kind == .number { break }
            }
        }
        throw fault ?? GatewayFault("the message has no channel", kind: .route)
    }

    private struct Call {
        let message: OutgoingMessage
        /// How long the message is valid, from its start.
        let useful: Duration
        let start: ContinuousClock.Instant
        /// More than one gateway could carry it, or one of them on more than one channel.
        let hasNext: Bool

        /// Sending stops at half the lifetime: a later message would expire before it is read.
        func timeLeft(at now: ContinuousClock.Instant) -> Duration { useful / 2 - (now - start) }
    }

    private enum Tried {
        case taken(Acceptance)
        /// Another gateway or channel may carry it.
        case failed(GatewayFault)
    }

    private static func noRoute(_ message: OutgoingMessage, _ channel: OutgoingMessage.Channel) -> GatewayFault {
        let place = message.country ?? message.to.number?.callingCode
        return GatewayFault("no route takes \(channel.rawValue)" + (place.map { " to \($0)" } ?? ""), kind: .route)
    }

    /// - Throws: a fault after which no other gateway may be tried.
    private func tried(
        _ call: Call, _ form: OutgoingMessage.Form, _ leg: MessageRoute.Leg, _ refusals: inout [GatewayRefusal]
    ) async throws(GatewayFault) -> Tried {
        // Set once the gateway may have the message: after that no other gateway gets it.
        var unsure: Acceptance?
        while true {
            let now = instant()
            let left = call.timeLeft(at: now)
            // The try before this one may have taken long.
            guard call.message.isKept() else {
                if let unsure { return .taken(unsure) }
                throw .givenUp
            }
            guard left > .milliseconds(50) else {
                if let unsure { return .taken(unsure) }
                throw GatewayFault("no time is left to send it", kind: .busy)
            }
            let (gateway, permit): (Gateway, CircuitBreaker.Permit)
            switch admit(leg.gateway, at: now) {
            case .success(let admitted): (gateway, permit) = admitted
            case .failure(let refusal):
                report(call, form, leg, refusal.outcome, .zero, refusal.reason, &refusals)
                if let unsure { return .taken(unsure) }
                return .failed(GatewayFault("\(leg.gateway): \(refusal.reason)", kind: .busy))
            }
            let url = call.message.receiptToken.map { receiptURL(leg.gateway, $0(leg.gateway)) } ?? ""
            do throws(GatewayFault) {
                let id = try await gateway.template.send(
                    call.message, form, leg, timeout: min(gateway.timeout, left),
                    remaining: call.useful - (now - call.start), receiptURL: url)
                leave(leg.gateway, permit, .answered, nil)
                report(call, form, leg, .taken, instant() - now, nil, &refusals)
                let receipt = gateway.template.specification.receipt
                let seconds = receipt?.withinSeconds ?? 0
                return .taken(
                    remembered(
                        call,
                        Acceptance(
                            gateway: leg.gateway, id: id, channel: form.channel,
                            hasNextRoute: call.hasNext && receipt != nil,
                            receiptDue: seconds > 0 ? call.message.sentAt.adding(.seconds(seconds)) : nil)))
            } catch {
                leave(leg.gateway, permit, error.speaksAgainstGateway ? .failed : .answered, error)
                report(call, form, leg, .failed(error.kind), instant() - now, error.reason, code: error.code, &refusals)
                let named = GatewayFault(
                    "\(leg.gateway): \(error.reason)", kind: error.kind, code: error.code, retryAfter: error.retryAfter)
                switch error.kind {
                case .busy, .route, .account, .ours, .number:
                    if let unsure { return .taken(unsure) }
                    return .failed(named)
                case .refused: throw named
                case .unsure:
                    // This process may be shutting down: the next one then sends the message.
                    if Task.isCancelled { throw named }
                    if let unsure { return .taken(unsure) }
                    let taken = remembered(
                        call, Acceptance(gateway: leg.gateway, channel: form.channel, isUnsure: true))
                    guard gateway.template.specification.isRepeatable else { return .taken(taken) }
                    unsure = taken
                }
            }
        }
    }

    private struct Refusal: Error {
        let outcome: Try.Outcome
        let reason: String
    }

    private func admit(
        _ name: String, at now: ContinuousClock.Instant
    ) -> Result<(Gateway, CircuitBreaker.Permit), Refusal> {
        state.withLock { state in
            guard let gateway = state.plan.gateways[name], var standing = state.standings[name] else {
                return .failure(Refusal(outcome: .left, reason: "is not configured"))
            }
            if let until = standing.busyUntil, now < until {
                return .failure(Refusal(outcome: .left, reason: "asked to be left alone"))
            }
            guard standing.calls < gateway.maxCalls else {
                return .failure(Refusal(outcome: .full, reason: "has \(standing.calls) calls under way"))
            }
            guard let permit = standing.breaker.admit(at: now) else {
                return .failure(Refusal(outcome: .left, reason: "is left alone after failures"))
            }
            standing.busyUntil = nil
            standing.calls += 1
            state.standings[name] = standing
            return .success((gateway, permit))
        }
    }

    private func leave(
        _ name: String, _ permit: CircuitBreaker.Permit, _ outcome: CircuitBreaker.Outcome, _ fault: GatewayFault?
    ) {
        let now = instant()
        state.withLock { state in
            guard var standing = state.standings[name] else { return }
            standing.calls = max(0, standing.calls - 1)
            standing.breaker.record(outcome, of: permit, at: now)
            if fault?.kind == .busy, let pause = fault?.retryAfter { standing.busyUntil = now.advanced(by: pause) }
            state.standings[name] = standing
        }
    }

    private func remembered(_ call: Call, _ acceptance: Acceptance) -> Acceptance {
        if let gateway = acceptance.gateway {
            state.withLock { $0.recent.add(call.message.correlationID, call.message.id, gateway) }
        }
        return acceptance
    }

    private func report(
        _ call: Call, _ form: OutgoingMessage.Form, _ leg: MessageRoute.Leg, _ outcome: Try.Outcome,
        _ duration: Duration, _ reason: String?, code: String? = nil, _ refusals: inout [GatewayRefusal]
    ) {
        if let reason {
            refusals.append(
                GatewayRefusal(
                    gateway: leg.gateway, channel: form.channel, outcome: outcome.label, code: code, reason: reason))
        }
        note(
            Try(
                session: call.message.correlationID, gateway: leg.gateway, channel: form.channel,
                country: call.message.country, outcome: outcome, duration: duration, code: code, reason: reason))
    }
}

extension GatewayFault {
    /// Whether the fault counts against the gateway. A gateway that refuses a number works.
    fileprivate var speaksAgainstGateway: Bool {
        switch kind {
        case .busy, .unsure, .account: true
        case .route, .number, .refused, .ours: false
        }
    }
}

/// The gateway of each session's newest message, for the last few thousand sessions.
private struct RecentGateways {
    struct Entry {
        let message: MessageID
        let gateway: String
    }

    private static let most = 4096

    private var entries: [CorrelationID: Entry] = [:]
    private var order: [CorrelationID] = []
    private var oldest = 0

    subscript(session: CorrelationID) -> Entry? { entries[session] }

    mutating func add(_ session: CorrelationID, _ message: MessageID, _ gateway: String) {
        if entries.updateValue(Entry(message: message, gateway: gateway), forKey: session) != nil { return }
        if order.count < Self.most {
            order.append(session)
        } else {
            entries[order[oldest]] = nil
            order[oldest] = session
            oldest = (oldest + 1) % Self.most
        }
    }
}
