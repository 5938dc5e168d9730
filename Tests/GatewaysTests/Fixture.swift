import Gateways
import Possession

enum Fixture {
    static let start = Timestamp(seconds: 1_800_000_000)
    static let lorant = number("+12001004014")
    static let bertie = number("+2001004025")

    static func number(_ e164: String) -> PhoneNumber {
        guard let number = PhoneNumber(e164: e164) else { preconditionFailure("\(e164) is no number") }
        return number
    }

    static func message(_ text: String = "Your code is 1234", to number: PhoneNumber = lorant) -> OutgoingMessage {
        OutgoingMessage(
            to: number, channel: .sms, text: text, code: OTP("1234"), correlationID: CorrelationID(bits: 7),
            sentAt: start)
    }

    static func inbox(maxMessages: Int = 10, maxTextBytes: Int = 1_000) -> InMemoryInbox {
        InMemoryInbox(maxMessages: maxMessages, maxTextBytes: maxTextBytes, startedAt: start)
    }
}
