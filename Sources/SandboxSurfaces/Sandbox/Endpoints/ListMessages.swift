internal import Sandbox
internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /sandbox/messages?to=&after=&wait=`: what was "sent", newest last; waits up to `wait` seconds until there is
/// something.
///
///     ->  200 {"messages":[{"id":"1","to":"2001004014","channel":"sms","text":"...","code":"1234","correlationId":"...","sentAt":"..."}]}
struct ListMessages: Sendable {
    let inbox: any SandboxInbox
    let numbers: any NumberDirectory
    let users: SandboxUsers
    let waits: WaitList
    let places: WaitingPlaces

    /// What is published when a message is sent, and when the clock moves: one on its way may have arrived.
    static let key = "sandbox/messages"
    /// In seconds (contract section 4).
    private static let maxWait = 30

    /// - Throws: `.field`, `.overloaded` when as many wait as may.
    func respond(to request: Request) async throws(SandboxError) -> Response {
        let recipient: PhoneNumber?
        let after: String?
        let wait: Int
        do throws(FieldDefect) {
            recipient = try number(request.query("to"))
            after = try messageID(request.query("after"))
            wait = try request.wholeNumber("wait", in: 0...Self.maxWait) ?? 0
        } catch {
            throw .field(error)
        }
        let place: WaitingPlaces.Place?
        do throws(WaitingPlaces.Refusal) { place = wait > 0 ? try places.take(for: request) : nil } catch {
            throw SandboxError(error)
        }
        defer { place?.giveBack() }
        let deadline = ContinuousClock.now.advanced(by: .seconds(wait))
        while true {
            let ticket = wait > 0 ? waits.register(Self.key) : nil
            // Before the messages, so that one which arrives in between is among them.
            let untilArrival = inbox.untilNextArrival
            let messages = inbox.messages(to: recipient, after: after)
            let rest = deadline - ContinuousClock.now
            guard messages.isEmpty, rest > .zero, let ticket else { return answer(messages) }
            // A message to another number wakes us too, and so does a move of the clock: then the rest of the wait
            // goes on.
            switch await ticket.wait(for: min(rest, untilArrival ?? rest)) {
            case .published, .timedOut: continue
            case .cancelled, .draining: return answer(inbox.messages(to: recipient, after: after))
            }
        }
    }

    /// A sandbox user's digits, or E.164.
    private func number(_ text: String?) throws(FieldDefect) -> PhoneNumber? {
        guard let text, !text.isEmpty else { return nil }
        if let read = try? numbers.read(text) { return read.number }
        guard let number = PhoneNumber(e164: text) else { throw FieldDefect("to", "is not a phone number") }
        return number
    }

    private func messageID(_ text: String?) throws(FieldDefect) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= 64 else { throw FieldDefect("after", "is longer than 64 characters") }
        return text
    }

    private func answer(_ messages: [SandboxMessage]) -> Response {
        var object = JSONObject()
        object.set("messages", messages.map(view))
        return .json(200, object)
    }

    private func view(_ message: SandboxMessage) -> JSONObject {
        var object = JSONObject()
        object.set("id", message.id)
        object.set("to", users.user(message.to)?.digits ?? message.to.e164)
        object.set("channel", message.channel.rawValue)
        object.set("text", message.text)
        object.set("code", message.code)
        object.set("link", message.link)
        object.set("correlationId", message.correlationID.text)
        object.set("sentAt", message.sentAt.rfc3339)
        return object
    }
}
