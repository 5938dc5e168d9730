/// A message to a phone or a mailbox, as a gateway gets it.
package struct OutgoingMessage: Sendable, CustomStringConvertible {
    /// Channel of a message. A voice call reads the text aloud.
    package enum Channel: String, Sendable, CaseIterable {
        case sms, voice, whatsapp, viber, email

        /// Channels to numbers. E-mail goes to addresses only.
        package static let ofNumbers: [Channel] = [.sms, .voice, .whatsapp, .viber]
    }

    /// The message as one channel carries it.
    package struct Form: Sendable, Equatable {
        package let channel: Channel
        /// The subject of an e-mail.
        package let subject: String?
        package let text: String
        /// The number of messages that it is billed as: the parts of an SMS, else one.
        package var parts: Int { channel == .sms ? MessageParts(text).count : 1 }
        /// The language of the text; `nil` if it is the tenant's own text.
        package let locale: LanguageTag?
        /// The sender's name and registration.
        package let sender: MessageSender

        package init(
            _ channel: Channel, subject: String? = nil, text: String, locale: LanguageTag? = nil,
            sender: MessageSender = MessageSender()
        ) {
            self.channel = channel
            self.subject = subject
            self.text = text
            self.locale = locale
            self.sender = sender
        }
    }

    /// A message that a gateway took.
    package struct Taken: Sendable, Equatable {
        package let id: MessageID
        package let gateway: String

        package init(_ id: MessageID, by gateway: String) {
            self.id = id
            self.gateway = gateway
        }
    }

    /// The idempotency key. After a crash a message may be sent to the gateway again, and a carrier that knows the id
    /// does not deliver it twice.
    package let id: MessageID
    package let to: Target
    /// The preferred channel first; never empty.
    package private(set) var forms: [Form]
    /// The code, which the text also contains, for carriers that need it separately.
    package let code: OTP?
    /// The instant link's URL, for the same reason. Its holder can decide.
    package let link: String?
    /// The token at the end of `link`.
    package let linkToken: String?
    package let correlationID: CorrelationID
    /// Tenant of the session; `nil` if it is not needed.
    package let tenant: ClientID?
    /// As in `NumberDirectory.country`.
    package let country: String?
    /// Position among the session's messages, from 0.
    package let ordinal: Int
    /// The newest earlier message of the session that is recorded as taken, by any server.
    package let previous: Taken?
    /// Routes that took the same content and did not deliver it. The message uses none of them.
    package let avoids: [ExcludedRoute]
    package let sentAt: Timestamp
    /// The code or link expires at this time, and the message is then useless.
    package let usefulUntil: Timestamp
    /// The token in the receipt URL of a gateway. Its holder may report the end of the message at that gateway.
    package let receiptToken: (@Sendable (_ gateway: String) -> String)?
    /// Whether no other server can have taken the message. It reads memory only. A gateway that tries a message more than
    /// once calls it before each further try, and throws `GatewayFault.givenUp` if the answer is no.
    package let isKept: @Sendable () -> Bool

    package init(
        id: MessageID, to target: Target, forms: [Form], code: OTP?, link: String? = nil, linkToken: String? = nil,
        correlationID: CorrelationID, tenant: ClientID? = nil, country: String? = nil, ordinal: Int = 0,
        previous: Taken? = nil, avoids: [ExcludedRoute] = [], sentAt: Timestamp, usefulUntil: Timestamp,
        receiptToken: (@Sendable (_ gateway: String) -> String)? = nil,
        isKept: @escaping @Sendable () -> Bool = { true }
    ) {
        precondition(!forms.isEmpty, "a message without a channel")
        self.id = id
        to = target
        self.forms = forms
        self.code = code
        self.link = link
        self.linkToken = linkToken
        self.correlationID = correlationID
        self.tenant = tenant
        self.country = country
        self.ordinal = ordinal
        self.previous = previous
        self.avoids = avoids
        self.sentAt = sentAt
        self.usefulUntil = usefulUntil
        self.receiptToken = receiptToken
        self.isKept = isKept
    }

    /// The message in one of its forms only.
    package func by(_ form: Form) -> OutgoingMessage {
        var message = self
        message.forms = [form]
        return message
    }

    /// The preferred channel.
    package var channel: Channel { forms[0].channel }
    /// Text for the preferred channel.
    package var text: String { forms[0].text }

    /// Without text, code and link.
    package var description: String { "<message to \(to)>" }
}
