internal import Possession
internal import Text

/// The values for the placeholders of a gateway file: those of the message, those of the route, and the gateway's
/// settings.
struct GatewayValues: Sendable {
    /// Names of values that every message has, or may have.
    enum Name: String, CaseIterable {
        /// E.164, with `+` and without. For an e-mail, `to` is the address and `toDigits` is empty.
        case to, toDigits
        /// The subject of an e-mail.
        case subject
        case text, code, link
        /// The text, escaped for XML.
        case textXml
        /// The text in hexadecimal bytes. `hexCoding` names the alphabet: 0 for GSM, one septet a byte; 8 for UTF-16.
        case textHex, hexCoding
        /// The message's ID, the same on every try.
        case messageId
        /// The URL for the carrier's receipts.
        case receiptUrl
        /// Values of the route.
        case sender, entityId, templateId
        case country, channel
        /// How long the code or link is still valid.
        case seconds, milliseconds
        /// At least 1.
        case minutes
        /// RFC 3339.
        case expiresAt
        /// 0: the text fits the GSM alphabet; 2: it does not (UCS-2).
        case coding
        /// The same as a word: text or unicode.
        case textType
        /// code or link.
        case purpose

        /// Whether a message may lack it.
        var isOptional: Bool {
            switch self {
            case .code, .link, .sender, .entityId, .templateId, .country, .subject: true
            default: false
            }
        }
    }

    private var values: [String: String]

    init(settings: [String: String]) {
        values = settings
    }

    subscript(name: String) -> String? { values[name] }

    subscript(name: Name) -> String? {
        get { values[name.rawValue] }
        set { values[name.rawValue] = newValue }
    }
}

extension GatewayValues {
    /// With the values of one message.
    /// - Parameters:
    ///   - remaining: how long its code or link is still valid.
    ///   - receiptURL: the URL for receipts of this message.
    mutating func take(
        _ message: OutgoingMessage, _ form: OutgoingMessage.Form, _ leg: MessageRoute.Leg, remaining: Duration,
        receiptURL: String
    ) {
        self[.to] = message.to.text
        self[.toDigits] = message.to.number.map { String($0.e164.dropFirst()) }
        self[.subject] = form.subject
        self[.text] = form.text
        self[.textXml] = Self.xml(form.text)
        let septets = GSMAlphabet.bytes(of: form.text)
        let units = form.text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        self[.hexCoding] = septets == nil ? "8" : "0"
        self[.textHex] = Hex.text(septets ?? units)
        self[.code] = message.code?.text
        self[.link] = message.link
        self[.messageId] = message.id.text
        self[.receiptUrl] = receiptURL
        self[.sender] = leg.sender ?? form.sender.sender ?? self[.sender]
        // A registration belongs to a text, so the form's own one comes first.
        self[.entityId] = form.sender.entityID ?? leg.entityID
        self[.templateId] = form.sender.templateID ?? leg.templateID
        self[.country] = message.country
        self[.channel] = form.channel.rawValue
        let seconds = max(1, remaining.components.seconds)
        self[.seconds] = String(seconds)
        self[.milliseconds] = String(seconds * 1000)
        self[.minutes] = String((seconds + 59) / 60)
        self[.expiresAt] = message.usefulUntil.rfc3339
        self[.coding] = septets == nil ? "2" : "0"
        self[.textType] = septets == nil ? "unicode" : "text"
        self[.purpose] = message.code == nil ? "link" : "code"
    }

    private static func xml(_ text: String) -> String {
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "&"): Array("&amp;".utf8)
            case UInt8(ascii: "<"): Array("&lt;".utf8)
            case UInt8(ascii: ">"): Array("&gt;".utf8)
            case UInt8(ascii: "\""): Array("&quot;".utf8)
            default: [byte]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
