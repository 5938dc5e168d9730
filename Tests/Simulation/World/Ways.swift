internal import Possession

/// The channels of the carrier, and what becomes of the messages that go by them.
///
/// A number whose ways nobody has drawn gets each message at once, by no channel in particular.
final class Ways {
    /// Treatment of the messages to one number by a channel.
    enum Way: CaseIterable {
        case refuses
        /// It takes them, and says later that they did not arrive.
        case fails
        /// It takes and loses them.
        case loses
        /// They arrive, and nobody is told.
        case arrivesUntold
        case arrives

        var arrival: Bool { self == .arrives || self == .arrivesUntold }
        /// End that the carrier reports later; `nil`: none.
        var end: MessageReceipt.End? { self == .arrives ? .delivered : self == .fails ? .undelivered : nil }
    }

    /// A message that a channel has taken.
    struct Taken {
        let id: String
        let correlationID: String
        /// The code or link in it.
        let content: String
        let channel: OutgoingMessage.Channel
        let way: Way
        /// Another channel could take it still.
        let hasNext: Bool
        /// By the server's clock, in milliseconds.
        let madeAt: Int64
        /// A receipt of it may have come from then on.
        var isTold = false
        /// The server has taken the receipt that says that it did not arrive.
        var hasFailed = false
    }

    struct Receipt {
        let message: String
        let end: MessageReceipt.End
        let token: String
        let gateway: String
        /// The process that handed the message over, and the one that was told last.
        let madeIn: Int
        var toldIn = 0
        var at: UInt64
    }

    /// In the order of an API client (`Settings`).
    static let channels: [OutgoingMessage.Channel] = [.whatsapp, .viber, .sms]
    static let names = channels.map(\.rawValue)
    static let secondsPerChannel = 5

    private let promises: Promises
    /// Counts the messages that took another channel.
    private(set) var movedOn = 0
    private var drawn: [String: [OutgoingMessage.Channel: Way]] = [:]
    private(set) var taken: [Taken] = []
    /// Those that the server has not taken.
    private var receipts: [Receipt] = []
    /// Messages whose acceptance the server has noted.
    private var noted: Set<String> = []
    /// Apps of these sessions were told that the code has arrived.
    var arrived: Set<String> = []
    /// The process that runs now.
    var life = 0

    init(_ promises: Promises) { self.promises = promises }

    func draw(for number: String) {
        drawn[number] = Dictionary(uniqueKeysWithValues: Ways.channels.map { ($0, Sim.pick(Way.allCases)) })
    }

    /// `nil`: the number has no ways of its own.
    func take(_ message: OutgoingMessage) throws(GatewayFault) -> (acceptance: Acceptance, arrives: Bool)? {
        guard let number = message.to.number?.e164, let ways = drawn[number] else { return nil }
        let (id, session) = (message.id.text, message.correlationID.text)
        if let before = taken.first(where: { $0.id == id }) { return (acceptance(of: before), false) }
        let content = message.code?.text ?? message.linkToken ?? ""
        let earlier = taken.filter { $0.correlationID == session && $0.content == content }
        look(at: message, after: earlier)
        let free = message.forms.filter { !message.avoids(gateway(of: $0.channel), on: $0.channel) }
        guard let form = free.first(where: { ways[$0.channel] != .refuses }), let way = ways[form.channel] else {
            Sim.note("carrier: no channel takes a message of \(session)")
            throw GatewayFault("no channel takes it")
        }
        let new = Taken(
            id: id, correlationID: session, content: content, channel: form.channel, way: way, hasNext: free.count > 1,
            madeAt: message.id.createdAt.milliseconds)
        taken.append(new)
        if !earlier.isEmpty { movedOn += 1 }
        Sim.note(
            "carrier: \(form.channel.rawValue) takes \(earlier.isEmpty ? "a message" : "it again") of \(session), and \(way) it"
        )
        if let end = way.end, let token = message.receiptToken?(gateway(of: form.channel)) {
            receipts.append(
                Receipt(
                    message: id, end: end, token: token, gateway: gateway(of: form.channel), madeIn: life,
                    at: Sim.now + UInt64(Sim.onceIn(3) ? Sim.draw(12_000) : Sim.draw(3_000)) * 1_000_000))
        }
        return (acceptance(of: new), way.arrival)
    }

    /// The same code goes by each channel once, and by the next one only when there is a reason.
    private func look(at message: OutgoingMessage, after earlier: [Taken]) {
        let session = message.correlationID.text
        for before in earlier {
            promises.require(
                message.avoids(gateway(of: before.channel), on: before.channel),
                "the same code goes by a channel once (\(session), \(before.channel.rawValue))")
        }
        promises.require(!arrived.contains(session), "a code that has arrived is not sent again (\(session))")
        guard let last = earlier.last else { return }
        let waited = message.id.createdAt.milliseconds - last.madeAt
        promises.require(
            last.isTold && last.way == .fails || waited >= Int64(Ways.secondsPerChannel) * 1000,
            "a channel has its time before the next one (\(session): \(waited) ms)")
    }

    private func gateway(of channel: OutgoingMessage.Channel) -> String { "way-\(channel.rawValue)" }

    private func acceptance(of taken: Taken) -> Acceptance {
        Acceptance(gateway: gateway(of: taken.channel), channel: taken.channel, hasNextRoute: taken.hasNext)
    }

    // MARK: Receipts

    func wasNoted(_ id: String) { noted.insert(id) }

    /// Takes a receipt out that is due. One whose message was not noted waits: told earlier it would start no next route.
    /// - Parameter isSettled: the process has had time to send what an earlier one has left.
    func nextDue(isSettled: Bool) -> Receipt? {
        let index = receipts.firstIndex {
            $0.at <= Sim.now && $0.toldIn != life
                && (noted.contains($0.message) || $0.madeIn != life && isSettled)
        }
        guard let index else { return nil }
        receipts[index].toldIn = life
        Sim.note("carrier: tells of \(receipts[index].gateway) \(receipts[index].end) \(receipts[index].message)")
        change(receipts[index].message) { $0.isTold = true }
        return receipts[index]
    }

    /// The server could not take it: it is told again a second later.
    func wasRefused(_ receipt: Receipt) {
        guard let index = receipts.firstIndex(where: { $0.message == receipt.message }) else { return }
        receipts[index].toldIn = 0
        receipts[index].at = Sim.now + 1_000_000_000
    }

    func wasTaken(_ receipt: Receipt) {
        receipts.removeAll { $0.message == receipt.message }
        guard receipt.end == .undelivered else { return }
        change(receipt.message) { $0.hasFailed = true }
    }

    private func change(_ id: String, _ change: (inout Taken) -> Void) {
        guard let index = taken.firstIndex(where: { $0.id == id }) else { return }
        change(&taken[index])
    }

    // MARK: How it ends

    enum End { case failed, waits, unknown }

    /// End that a session's app is told once every channel has had its turn.
    func end(of session: String, number: String) -> End {
        guard let ways = drawn[number] else { return .unknown }
        let all = taken.filter { $0.correlationID == session }
        guard all.allSatisfy({ noted.contains($0.id) }) else { return .unknown }
        for channel in Ways.channels where ways[channel] != .refuses {
            guard let message = all.first(where: { $0.channel == channel }) else { return .unknown }
            switch message.way {
            case .arrives: return .waits
            case .fails: if !message.hasFailed { return .unknown }
            // Nobody has said that the last one failed.
            case .loses, .arrivesUntold: if !message.hasNext { return .waits }
            case .refuses: break
            }
        }
        // Behind a channel that says nothing, those that refuse are what is left.
        return .failed
    }
}
