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
    /// Routes that took the same content and did not deliver it. The message uses none of them.
    package let avoids: [AvoidedWay]
    package let sentAt: Timestamp
    /// The code or link expires at this time, and the message is then useless.
    package let usefulUntil: Timestamp
    /// The token in the receipt URL of a gateway. Its holder may report the end of the message at that gateway.
    package let receiptToken: (@Sendable (_ gateway: String) -> String)?

    package init(
        id: MessageID, to target: Target, forms: [Form], code: OTP?, link: String? = nil, linkToken: String? = nil,
        correlationID: CorrelationID, tenant: ClientID? = nil, country: String? = nil, ordinal: Int = 0,
        avoids: [AvoidedWay] = [], sentAt: Timestamp, usefulUntil: Timestamp,
        receiptToken: (@Sendable (_ gateway: String) -> String)? = nil
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
        self.avoids = avoids
        self.sentAt = sentAt
        self.usefulUntil = usefulUntil
        self.receiptToken = receiptToken
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

/// The carrier took a message.
package struct Acceptance: Sendable, Equatable {
    package static let maxIDBytes = 128

    /// The configured name of the gateway; `nil` if there is only one.
    package let gateway: String?
    /// The carrier's id of the message: 1 to 128 visible ASCII characters.
    package let id: String?
    package let channel: OutgoingMessage.Channel?
    /// The gateway did not respond, so it may have the message or not. The message is not given to another gateway, so
    /// that the person does not get it twice.
    package let isUnsure: Bool
    /// The gateway will report the end of the message, and another gateway could then send it.
    package let hasNextRoute: Bool
    /// When a first receipt from the gateway is due; `nil`: the gateway has no deadline.
    package let receiptDue: Timestamp?
    /// Gateways that were asked before and refused, in order.
    package var refusals: [GatewayRefusal] = []

    package init(
        gateway: String? = nil, id: String? = nil, channel: OutgoingMessage.Channel? = nil, isUnsure: Bool = false,
        hasNextRoute: Bool = false, receiptDue: Timestamp? = nil
    ) {
        self.gateway = gateway
        let isFit = id.map { id in
            (1...Self.maxIDBytes).contains(id.utf8.count) && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        self.id = isFit == true ? id : nil
        self.channel = channel
        self.isUnsure = isUnsure
        self.hasNextRoute = hasNextRoute
        self.receiptDue = receiptDue
    }
}

/// The carrier did not take the message.
package struct GatewayFault: Error, Sendable, Equatable {
    /// Kind of failure, by the action that it requires.
    package enum Kind: String, Sendable, CaseIterable {
        /// The gateway failed, not the message: use another gateway now, this one later.
        case busy
        /// The request was sent, and no response came. The message may have been delivered.
        case unsure
        /// This gateway does not serve this number or sender: use another gateway.
        case route
        /// No gateway reaches this number on this channel, or this address.
        case number
        /// The recipient has opted out.
        case refused
        /// Credentials, balance or quota: the operator must act, and another gateway must be used meanwhile.
        case account
        /// The request was malformed: our fault.
        case ours
    }

    package let kind: Kind
    /// For the log. It has no number and no content of the message.
    package let reason: String
    /// The carrier's own code, if it is safe for a log.
    package let code: String?
    /// How long the gateway asks to be left alone.
    package let retryAfter: Duration?
    /// Gateways that were asked, in order. The last refusal is this fault.
    package var refusals: [GatewayRefusal] = []

    package init(_ reason: String, kind: Kind = .route, code: String? = nil, retryAfter: Duration? = nil) {
        self.kind = kind
        self.reason = reason
        self.code = code
        self.retryAfter = retryAfter
    }
}

/// Gives messages to a carrier. Returns once the carrier has taken them.
package protocol MessageGateway: Sendable {
    @discardableResult
    func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance

    /// Called when the outbox has recorded that the message was taken. A receipt before that starts no next route.
    func wasNoted(_ message: MessageID) async
}

/// For carriers whose receipts come as HTTP calls.
extension MessageGateway {
    package func wasNoted(_ message: MessageID) async {}
}
