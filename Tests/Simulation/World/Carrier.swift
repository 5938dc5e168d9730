internal import Machine
internal import Engine
internal import Possession

/// The carrier and the phones: what was handed over, and what came of it.
final class Carrier: MessageGateway, @unchecked Sendable {
    // Sendable: the machine lets one lane run at a time.

    struct Message {
        let id: String
        let number: String
        let code: String?
        let link: String?
        let correlationID: String
        let at: UInt64
    }

    /// Whether there is an excuse for handing a message over again that was taken at this time.
    var isExcused: (_ since: UInt64) -> Bool = { _ in true }
    let promises: Promises
    let ways: Ways
    private var takenAt: [String: UInt64] = [:]

    init(_ promises: Promises) {
        self.promises = promises
        ways = Ways(promises)
    }

    /// Faults of the carrier: it does each to one message in so many; 0: never.
    struct Mood {
        var refuses = 0
        var isSlow = 0
        /// It takes the message and says that it did not.
        var lies = 0

        var isCalm: Bool { refuses == 0 && isSlow == 0 && lies == 0 }
    }

    var mood = Mood()
    /// All that arrived at phones, in order.
    private(set) var messages: [Message] = []
    private(set) var handed: [String: Int] = [:]
    /// Messages that were refused, or taken with an answer that says otherwise, by session.
    private(set) var refused: [String: Int] = [:]

    func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
        if mood.isSlow > 0, Sim.onceIn(mood.isSlow) {
            try? await Task.sleep(for: .milliseconds(Sim.draw(3000)))
        }
        if mood.refuses > 0, Sim.onceIn(mood.refuses) {
            refused[message.correlationID.text, default: 0] += 1
            Sim.note("carrier: refuses a message")
            throw GatewayFault("the carrier refuses")
        }
        let id = "\(message.id.text)"
        let session = message.correlationID.text
        let way: (acceptance: Acceptance, arrives: Bool)?
        do throws(GatewayFault) { way = try ways.take(message) } catch {
            if !ways.taken.contains(where: { $0.correlationID == session }) { refused[session, default: 0] += 1 }
            throw error
        }
        handed[id, default: 0] += 1
        if let before = takenAt[id] {
            promises.require(
                isExcused(before),
                "a message is handed over once while nothing is wrong (\(message.correlationID.text))")
        }
        takenAt[id] = Sim.now
        // A carrier knows an id that it had before.
        if handed[id] == 1, way?.arrives != false {
            messages.append(
                Message(
                    id: id, number: message.to.text, code: message.code?.text, link: message.linkToken,
                    correlationID: message.correlationID.text, at: Sim.now))
            Sim.note("carrier: a message of \(message.correlationID.text)")
        }
        if mood.lies > 0, Sim.onceIn(mood.lies) {
            refused[message.correlationID.text, default: 0] += 1
            throw GatewayFault("the carrier's answer was lost")
        }
        return way?.acceptance ?? Acceptance()
    }

    func wasNoted(_ message: MessageID) async { ways.wasNoted(message.text) }

    func messages(of correlationID: String) -> [Message] { messages.filter { $0.correlationID == correlationID } }
}
