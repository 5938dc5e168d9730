import Sandbox
import Possession

enum Fixture {
    static let start = Timestamp(seconds: 1_800_000_000)
    static let lorant = number("+12001004014")
    static let bertie = number("+2001004025")

    static func number(_ e164: String) -> PhoneNumber {
        guard let number = PhoneNumber(e164: e164) else { preconditionFailure("\(e164) is no number") }
        return number
    }

    static func message(
        _ text: String = "Your code is 1234", to number: PhoneNumber = lorant, link: String? = nil, id: UInt128? = nil,
        channels: [OutgoingMessage.Channel] = [.sms], avoids: [ExcludedRoute] = []
    ) -> OutgoingMessage {
        OutgoingMessage(
            id: MessageID(bits: id ?? UInt128.random(in: 0...UInt128.max)), to: .number(number),
            forms: channels.map { OutgoingMessage.Form($0, text: text) }, code: OTP("1234"), link: link,
            linkToken: link, correlationID: CorrelationID(bits: 7), avoids: avoids, sentAt: start,
            usefulUntil: start.adding(.seconds(120)), receiptToken: { "token of \($0)" })
    }

    /// Its clock stands at the start unless one is handed in.
    static func inbox(
        maxMessages: Int = 10, maxTextBytes: Int = 1_000, clock: OffsetClock = clock()
    ) -> InMemoryInbox {
        InMemoryInbox(
            maxMessages: maxMessages, maxTextBytes: maxTextBytes, startedAt: start, now: { clock.now() })
    }

    /// Stands still until it is advanced.
    static func clock() -> OffsetClock {
        OffsetClock { start }
    }

    static func user(
        _ number: PhoneNumber = lorant, link: SandboxUser.LinkBehaviour = .open, delivery: SandboxDelivery = .ok,
        deliveryDelaySeconds: Int = 0
    ) -> SandboxUser {
        SandboxUser(
            digits: number.e164, number: number, name: "A", region: .international, delivery: delivery,
            deliveryDelaySeconds: deliveryDelaySeconds, link: link)
    }
}
