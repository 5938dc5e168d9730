internal import Locks
internal import Engine
package import Possession

/// The sandbox's carrier: treats a message as its recipient's script says, and delivers only to the inbox. Messages to
/// numbers and addresses without a sandbox user arrive at once.
///
/// Each channel is a separate gateway, such as `sandbox-sms`. It reports the end of a message once the outbox has
/// recorded that it was accepted, or when a delayed message arrives:
///
///     send -> wasNoted -> "delivered" or "undelivered" -> the person answers a link
///                \-- with a delay: sendDue -> "delivered" or "undelivered"
package final class ScriptedCarrier: MessageGateway {
    /// Answers an instant link in place of its recipient, and returns once that is durable.
    package typealias AnswerLink = @Sendable (_ token: String, _ approves: Bool) async -> Void
    /// Takes a gateway's report on a message, and returns once that is durable.
    /// - Parameter token: the name of the message for this gateway.
    package typealias TakeReceipt =
        @Sendable (_ end: MessageReceipt.End, _ token: String, _ gateway: String) async -> Void

    /// The events after a message was accepted.
    private struct Sequel: Sendable {
        struct Receipt: Sendable {
            let end: MessageReceipt.End
            let token: String
            let gateway: String
        }

        struct Answer: Sendable {
            let token: String
            let approves: Bool
        }

        let receipt: Receipt?
        /// `nil`: the message arrives when it is accepted.
        let arrival: Timestamp?
        let answer: Answer?
    }

    private struct State {
        var answer: AnswerLink?
        var takeReceipt: TakeReceipt?
        /// Sequels of messages that are not yet recorded as sent: at most as many as there are running calls.
        var sequels: [MessageID: Sequel] = [:]
        var receipts = Delayed<Sequel.Receipt>()
    }

    /// Most receipts of delayed messages. Beyond it, the receipt that is due next is dropped, because the inbox drops
    /// older messages too.
    private static let mostDelayedReceipts = InMemoryInbox.defaultMaxMessages

    private let users: SandboxUsers
    private let inbox: InMemoryInbox
    private let now: Now
    private let state = Locked(State())

    /// - Parameter now: the sandbox clock, by which delayed messages arrive.
    package init(users: SandboxUsers, inbox: InMemoryInbox, now: @escaping Now) {
        self.users = users
        self.inbox = inbox
        self.now = now
    }

    /// The gateway of a channel, as named in webhooks and timelines.
    package static func gateway(of channel: OutgoingMessage.Channel) -> String { "sandbox-\(channel.rawValue)" }

    /// From now on, answers links with `answer` for users whose script says so.
    package func answerLinks(by answer: @escaping AnswerLink) {
        state.withLock { $0.answer = answer }
    }

    /// From now on, reports the receipts of messages to `take`.
    package func sendReceipts(to take: @escaping TakeReceipt) {
        state.withLock { $0.takeReceipt = take }
    }

    /// Accepts a message on its first channel that is neither excluded nor refused by the script.
    /// - Throws: `GatewayFault` when the user's delivery fails on every channel, no channel is left, or the inbox
    ///   cannot hold the text.
    @discardableResult
    package func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
        let user = users.user(message.to)
        let forms = message.forms.filter { !message.avoids(Self.gateway(of: $0.channel), on: $0.channel) }
        guard !forms.isEmpty else { throw GatewayFault("no channel is left", kind: .route) }
        let taken = forms.lazy.map { ($0, user?.delivery.outcome(on: $0.channel) ?? .ok) }.first { $0.1 != .fail }
        guard let (form, outcome) = taken else {
            throw GatewayFault("the sandbox user's delivery fails", kind: .number)
        }
        let delay = user?.deliveryDelaySeconds ?? 0
        if outcome != .undelivered { try inbox.send(message.by(form), delaySeconds: delay) }
        let sequel = Sequel(
            receipt: Self.receipt(outcome, of: message, form.channel),
            arrival: delay > 0 ? now().adding(.seconds(delay)) : nil,
            answer: outcome == .undelivered ? nil : user.flatMap { Self.answer($0, message) })
        state.withLock { $0.sequels[message.id] = sequel }
        return Acceptance(
            gateway: Self.gateway(of: form.channel), channel: form.channel, hasNextRoute: forms.count > 1)
    }

    private static func receipt(
        _ outcome: SandboxDelivery.Outcome, of message: OutgoingMessage, _ channel: OutgoingMessage.Channel
    ) -> Sequel.Receipt? {
        let gateway = gateway(of: channel)
        guard outcome != .silent, let token = message.receiptToken?(gateway) else { return nil }
        return Sequel.Receipt(end: outcome == .undelivered ? .undelivered : .delivered, token: token, gateway: gateway)
    }

    /// A link that arrives later is not answered: a person may open it.
    private static func answer(_ user: SandboxUser, _ message: OutgoingMessage) -> Sequel.Answer? {
        guard let token = message.linkToken, user.deliveryDelaySeconds == 0 else { return nil }
        switch user.link {
        case .open, .mismatch: return nil
        case .approve: return Sequel.Answer(token: token, approves: true)
        case .deny: return Sequel.Answer(token: token, approves: false)
        }
    }

    // MARK: Receipts

    package func wasNoted(_ message: MessageID) async {
        let (sequel, answer) = state.withLock { ($0.sequels.removeValue(forKey: message), $0.answer) }
        guard let sequel else { return }
        if let receipt = sequel.receipt {
            if let arrival = sequel.arrival { delay(receipt, until: arrival) } else { await send(receipt) }
        }
        if let person = sequel.answer { await answer?(person.token, person.approves) }
    }

    /// Reports the receipts of the delayed messages that have arrived by now, and returns once that is durable.
    package func sendDue() async {
        let now = now()
        for receipt in state.withLock({ $0.receipts.removeArrived(by: now) }) { await send(receipt) }
    }

    private func delay(_ receipt: Sequel.Receipt, until arrival: Timestamp) {
        state.withLock { state in
            if state.receipts.count >= Self.mostDelayedReceipts { _ = state.receipts.removeNext() }
            state.receipts.insert(receipt, arrivingAt: arrival)
        }
    }

    private func send(_ receipt: Sequel.Receipt) async {
        let take = state.withLock { $0.takeReceipt }
        await take?(receipt.end, receipt.token, receipt.gateway)
    }
}
