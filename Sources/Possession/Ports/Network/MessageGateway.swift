/// A message to a phone or a mailbox: what a carrier is handed.
package struct OutgoingMessage: Sendable, CustomStringConvertible {
    /// The way a message takes. A voice call reads the text out.
    package enum Channel: String, Sendable, CaseIterable {
        case sms, voice, whatsapp, viber, email

        /// Those that reach a number. E-mail reaches addresses, and nothing else does.
        package static let ofNumbers: [Channel] = [.sms, .voice, .whatsapp, .viber]
    }

    /// The message as one channel carries it.
    package struct Form: Sendable, Equatable {
        package let channel: Channel
        /// The subject of an e-mail.
        package let subject: String?
        package let text: String
        /// As how many messages it is billed: the parts of an SMS, else one.
        package var parts: Int { channel == .sms ? MessageParts(text).count : 1 }
        /// The language of the text; `nil` where the tenant worded it.
        package let locale: LanguageTag?
        /// The name and the registration that it goes out under.
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

    /// The idempotency key: a message may be handed over again after a crash, and a carrier that knows its id does not
    /// send it twice.
    package let id: MessageID
    package let to: Target
    /// The preferred channel first; never empty.
    package private(set) var forms: [Form]
    /// Beside the text that carries it anyway, for carriers that take it apart.
    package let code: OTP?
    /// The instant link's URL, likewise. Whoever has it decides.
    package let link: String?
    /// The end of `link`.
    package let linkToken: String?
    package let correlationID: CorrelationID
    /// Tenant of the session that it belongs to; `nil` where nobody asks.
    package let tenant: ClientID?
    /// As in `NumberDirectory.country`.
    package let country: String?
    /// Which message of its session it is, from 0.
    package let ordinal: Int
    /// Ways that had taken the same content and did not deliver it: it goes by none of them.
    package let avoids: [AvoidedWay]
    package let sentAt: Timestamp
    /// From then on the code or link is dead, and the message of no use.
    package let usefulUntil: Timestamp
    /// Names the message in the receipts of a gateway: whoever has it may say what became of the message there.
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

    /// The same message in one of its forms.
    package func by(_ form: Form) -> OutgoingMessage {
        var message = self
        message.forms = [form]
        return message
    }

    /// The preferred channel.
    package var channel: Channel { forms[0].channel }
    /// Text that the preferred channel carries.
    package var text: String { forms[0].text }

    /// Without text, code and link.
    package var description: String { "<message to \(to)>" }
}

/// A carrier has taken a message.
package struct Acceptance: Sendable, Equatable {
    package static let maxIDBytes = 128

    /// The configured name of the gateway; `nil` where there is only one.
    package let gateway: String?
    /// ID that the carrier gave the message: 1 to 128 visible ASCII characters.
    package let id: String?
    package let channel: OutgoingMessage.Channel?
    /// The gateway may have the message or not: its answer did not come. It is not handed to another one, so that
    /// nobody gets it twice.
    package let isUnsure: Bool
    /// The gateway tells later how the message ended, and another one could take it then.
    package let hasNextRoute: Bool
    /// When the gateway must have said something of the message; `nil`: it has no time for that.
    package let receiptDue: Timestamp?
    /// Gateways that were asked before, in order.
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
    /// Kind of failure, by what has to be done about it.
    package enum Kind: String, Sendable, CaseIterable {
        /// The gateway, and not the message: another gateway at once, this one later.
        case busy
        /// The request left, and no answer came. The message may have been sent.
        case unsure
        /// This gateway does not reach this number or sender: another gateway.
        case route
        /// No gateway reaches this number on this channel, or this address.
        case number
        /// The recipient has opted out.
        case refused
        /// Credentials, balance or quota: the operator has to act, and another gateway has to do it meanwhile.
        case account
        /// The request was malformed, by our doing.
        case ours
    }

    package let kind: Kind
    /// For the log. It names no number and no content of the message.
    package let reason: String
    /// The carrier's own code, as far as it is fit for a log.
    package let code: String?
    /// How long the gateway wants to be left alone.
    package let retryAfter: Duration?
    /// Gateways that were asked, in order. The last one's refusal is this fault.
    package var refusals: [GatewayRefusal] = []

    package init(_ reason: String, kind: Kind = .route, code: String? = nil, retryAfter: Duration? = nil) {
        self.kind = kind
        self.reason = reason
        self.code = code
        self.retryAfter = retryAfter
    }
}

/// Hands messages to a carrier; returns once it has taken them.
package protocol MessageGateway: Sendable {
    @discardableResult
    func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance

    /// Told once the outbox has noted that the message was taken. A receipt that comes earlier starts no next route.
    func wasNoted(_ message: MessageID) async
}

/// For carriers whose receipts come from outside.
extension MessageGateway {
    package func wasNoted(_ message: MessageID) async {}
}
