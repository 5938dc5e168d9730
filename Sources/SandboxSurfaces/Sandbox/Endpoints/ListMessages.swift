internal import Sandbox
internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /sandbox/messages?to=&after=&wait=`: the "sent" messages, newest last; waits up to `wait` seconds for the
/// first.
///
///     ->  200 {"messages":[{"id":"1","to":"2001004014","channel":"sms","text":"...","code":"1234","correlationId":"...","sentAt":"..."}]}
struct ListMessages: SandboxEndpoint {
    struct Order: Sendable {
        var recipient: String?
        var after: String?
        var wait = 0
    }

    /// A message, and its recipient: a number in the form of the users file, or an address.
    struct Shown: Sendable {
        let message: SandboxMessage
        let recipient: String
    }

    let inbox: any SandboxInbox
    let numbers: any NumberDirectory
    let users: SandboxUsers
    let waits: WaitList
    let places: WaitingPlaces

    /// The key that is published when a message is sent, and when the clock moves: a delayed message may have arrived.
    static let key = "sandbox/messages"
    /// Seconds (contract section 4).
    private static let maxWait = 30

    static let call = Call(
        .get, "/sandbox/messages", id: "listMessages", "Messages that were \"sent\"",
        "Newest last. With wait a long poll: answers as soon as there is one.")
    static let refusals: [SandboxError] = [
        .field(FieldDefect("to", "is neither a phone number nor an e-mail address")),
        .rateLimited(.init(.waitsPerAddress, retryAfterSeconds: 5)),
    ]
    static let body = Shape(Order())
    static let parameters = Parameters<Order, SandboxError> {
        // `check` has already validated it.
        ParameterMember.optionalQuery(
            recipient, .anyText, "A number (a sandbox user's digits, or E.164), or an e-mail address."
        ) {
            $0.recipient = $1
        }
        ParameterMember.optionalQuery("after", messageID, "The id of the last message that was seen.") { $0.after = $1 }
        ParameterMember.optionalQuery("wait", .wholeNumber(upTo: maxWait), "Seconds.") { $0.wait = $1 }
    }

    private static let recipient = "to"
    private static let messageID = ParameterInput<String>(.text(most: 64)) { (text, name) throws(FieldDefect) in
        guard text.utf8.count <= 64 else { throw FieldDefect(name, "is longer than 64 characters") }
        return text
    }

    static let reply = Reply<[Shown]> {
        ReplyMember.always("messages", .list(of: .object(message)), "Newest last.") { $0 }
    }

    private static let message = Reply<Shown>(name: "SandboxMessage") {
        ReplyMember.always("id", .text, "Grows with every message. The parameter after takes it.") { $0.message.id }
        ReplyMember.always("to", .text, "A user's number as in the users file, another number in E.164, or an address.")
        { $0.recipient }
        ReplyMember.always("channel", .choice(OutgoingMessage.Channel.allCases), "The channel that it took.") {
            $0.message.channel
        }
        ReplyMember.whenThere("subject", .text, "The subject of an e-mail.") { $0.message.subject }
        ReplyMember.always("text", .text, "The whole text, with its code or link.") { $0.message.text }
        ReplyMember.whenThere("code", .text(.text(pattern: "^[0-9]{4,10}$")), "The code in it. Absent if it has none.")
        { $0.message.code }
        ReplyMember.whenThere("link", .text(.text(format: "uri")), "The link in it. Absent if it has none.") {
            $0.message.link
        }
        ReplyMember.always("correlationId", .identifier(), "The session that it belongs to.") {
            $0.message.correlationID
        }
        ReplyMember.always("sentAt", .moment, "When it was sent, by the sandbox clock.") { $0.message.sentAt }
    }

    func check(_ request: Request) throws(SandboxError) {
        _ = try target(request.query(Self.recipient))
    }

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> [Shown] {
        let recipient = try target(order.recipient)
        return try await messages(to: recipient, order, request).map { message in
            let digits = message.to.number.flatMap { users.user($0)?.digits }
            return Shown(message: message, recipient: digits ?? message.to.text)
        }
    }

    /// - Throws: `.rateLimited`, `.overloaded` when too many callers wait.
    private func messages(
        to recipient: Target?, _ order: Order, _ request: Request
    ) async throws(SandboxError) -> [SandboxMessage] {
        let place: WaitingPlaces.Place?
        do throws(WaitingPlaces.Refusal) { place = order.wait > 0 ? try places.take(for: request) : nil } catch {
            throw SandboxError(error)
        }
        defer { place?.giveBack() }
        let deadline = ContinuousClock.now.advanced(by: .seconds(order.wait))
        while true {
            let ticket = order.wait > 0 ? waits.register(Self.key) : nil
            // Read before the messages, so that a message that arrives in between is not missed.
            let untilArrival = inbox.untilNextArrival
            let messages = inbox.messages(to: recipient, after: order.after)
            let rest = deadline - ContinuousClock.now
            guard messages.isEmpty, rest > .zero, let ticket else { return messages }
            // A message to another recipient, or a move of the clock, also ends the wait: then the rest of the time is
            // waited.
            switch await ticket.wait(for: min(rest, untilArrival ?? rest)) {
            case .published, .timedOut: continue
            case .cancelled, .draining: return inbox.messages(to: recipient, after: order.after)
            }
        }
    }

    /// A sandbox user's digits, E.164, or an address.
    private func target(_ text: String?) throws(SandboxError) -> Target? {
        guard let text, !text.isEmpty else { return nil }
        if let read = try? numbers.read(text) { return .number(read.number) }
        guard let target = Target(text) else {
            throw .field(FieldDefect(Self.recipient, "is neither a phone number nor an e-mail address"))
        }
        return target
    }
}
