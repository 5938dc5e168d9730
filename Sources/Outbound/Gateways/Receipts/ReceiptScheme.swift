internal import Engine
internal import Possession
internal import Text

/// The ways in which carriers sign their receipts.
enum ReceiptScheme: String, CaseIterable, Sendable {
    /// `X-Twilio-Signature`: HMAC-SHA1 over the URL and the sorted fields, or over the URL that names the body's digest
    /// (https://www.twilio.com/docs/usage/webhooks/webhooks-security, read 2026-11-27).
    case twilio
    /// `telnyx-signature-ed25519` over `timestamp|body`, at most 5 minutes old
    /// (https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks, read 2026-11-27).
    case telnyx
    /// `x-sinch-webhook-signature`: HMAC over `body.nonce.timestamp`, by the algorithm that a header names
    /// (docs/conversation/conversation-callbacks.md of https://github.com/sinch/docs, read 2026-11-27).
    case sinch
    /// `X-Plivo-Signature-V2`: HMAC-SHA256 over the URL and a nonce; `-V3`: over the sorted fields too.
    case plivo
    /// Standard Webhooks 1.0.0, scheme `v1` (spec/standard-webhooks.md of
    /// https://github.com/standard-webhooks/standard-webhooks, read 2026-11-27).
    case standardWebhooks
    /// `sig` of Vonage's SMS API: HMAC-SHA256 or HMAC-SHA512 over the sorted fields
    /// (https://developer.vonage.com/getting-started/concepts/signing-messages, read 2026-11-27).
    case vonage
    /// `Authorization` of Vonage's newer APIs: a token with the body's digest.
    case vonageToken
    /// `MessageBird-Signature-JWT`: a token with the digests of URL and body (src/MessageBird/RequestValidator.php of
    /// https://github.com/messagebird/php-rest-api, read 2026-11-27).
    case messageBird

    /// How far a signature's time may differ from ours, in seconds.
    static let tolerance: Int64 = 300

    /// The URL is not signed, so its query must not be used.
    var coversBodyOnly: Bool {
        switch self {
        case .twilio, .plivo, .vonage, .messageBird: false
        case .telnyx, .sinch, .standardWebhooks, .vonageToken: true
        }
    }

    /// Only form fields are signed, so JSON cannot be used.
    var coversFieldsOnly: Bool { self == .vonage }

    /// Whether a header says that another key than the account's was used. Twilio: a webhooks rule names it
    /// (examples/WebhookSignatureValidation.md of https://github.com/twilio/twilio-node, read 2026-11-27).
    func isBySharedKey(_ call: ReceiptCall) -> Bool { self == .twilio && Self.twilioSettings(call) != nil }

    func isGenuine(_ call: ReceiptCall, key: String, _ crypto: GatewayCrypto, at now: Timestamp) -> Bool {
        switch self {
        case .twilio: Self.twilio(call, key, crypto)
        case .telnyx: Self.telnyx(call, key, crypto, now)
        case .sinch: Self.sinch(call, key, crypto, now)
        case .plivo: Self.plivo(call, key, crypto)
        case .standardWebhooks: Self.standardWebhooks(call, key, crypto, now)
        case .vonage: Self.vonage(call, key, crypto, now)
        case .vonageToken: Self.vonageToken(call, key, crypto, now)
        case .messageBird: Self.messageBird(call, key, crypto, now)
        }
    }

    /// Why a key is invalid; `nil`: it is valid.
    func defect(ofKey text: String) -> String? {
        switch self {
        case .twilio, .sinch, .plivo, .vonage, .vonageToken, .messageBird: nil
        case .telnyx: Base64.decode(text.utf8)?.count == 32 ? nil : "must be the base64 of 32 bytes"
        case .standardWebhooks:
            StandardSecret.key(text) == nil ? "must be whsec_ and the base64 of 24 to 64 bytes" : nil
        }
    }

    private static func code(_ call: ReceiptCall, _ header: String) -> [UInt8]? {
        call.header(header).flatMap { Base64.decode($0.utf8) }
    }

    static func isRecent(_ text: String?, _ now: Timestamp) -> Bool {
        guard let text, (1...12).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }),
            let time = Int64(text)
        else { return false }
        return abs(now.seconds - time) <= tolerance
    }

    private static func twilioSettings(_ call: ReceiptCall) -> String? {
        call.header("x-twilio-webhooks-signature-settings")
    }

    private static func twilio(_ call: ReceiptCall, _ key: String, _ crypto: GatewayCrypto) -> Bool {
        guard let code = code(call, "x-twilio-signature") else { return false }
        let usesSHA256 = twilioSettings(call)?.utf8.holds("algorithm=HMAC_SHA256") ?? false
        let hash: GatewayCrypto.Hash = usesSHA256 ? .sha256 : .sha1
        var signed: [UInt8] = []
        if let digest = FormFields(call.query)?.value(of: "bodySHA256") {
            guard let expected = Hex.bytes(digest),
                constantTimeEqual(expected, crypto.digest(.sha256, call.body))
            else { return false }
        } else {
            guard let form = FormFields(call.body) else { return false }
            for field in form.distinct { signed += field.name + field.value }
        }
        // Proxies on the carrier's side add or remove the port.
        return urlForms(call.url).contains {
            constantTimeEqual(code, crypto.hmac(hash, Array(key.utf8), Array($0.utf8) + signed))
        }
    }

    /// The URL unchanged, without its port, or with the default port of its scheme.
    static func urlForms(_ url: String) -> [String] {
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes.count > colon + 3 else { return [url] }
        let start = colon + 3
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let port = bytes.starts(with: "https".utf8) ? ":443" : ":80"
        let authority = bytes[start..<end]
        func with(_ authority: [UInt8]) -> String {
            String(decoding: bytes[..<start] + authority + bytes[end...], as: UTF8.self)
        }
        let digits = authority.reversed().prefix { $0 >= 48 && $0 <= 57 }.count
        let hasPort = digits > 0 && authority.dropLast(digits).last == UInt8(ascii: ":")
        return [url, with(hasPort ? Array(authority.dropLast(digits + 1)) : authority + Array(port.utf8))]
    }

    private static func telnyx(
        _ call: ReceiptCall, _ key: String, _ crypto: GatewayCrypto, _ now: Timestamp
    ) -> Bool {
        let time = call.header("telnyx-timestamp")
        guard isRecent(time, now), let time, let code = code(call, "telnyx-signature-ed25519"), code.count == 64,
            let key = Base64.decode(key.utf8), key.count == 32
        else { return false }
        return crypto.verifyEd25519(code, key, Array("\(time)|".utf8) + call.body)
    }

    private static func sinch(_ call: ReceiptCall, _ key: String, _ crypto: GatewayCrypto, _ now: Timestamp) -> Bool {
        let time = call.header("x-sinch-webhook-signature-timestamp")
        guard isRecent(time, now), let time, let nonce = call.header("x-sinch-webhook-signature-nonce"),
            nonce.utf8.count <= 128, let code = code(call, "x-sinch-webhook-signature"),
            let hash = sinchHash(call.header("x-sinch-webhook-signature-algorithm"))
        else { return false }
        return constantTimeEqual(
            code, crypto.hmac(hash, Array(key.utf8), call.body + Array(".\(nonce).\(time)".utf8)))
    }

    /// - Returns: `nil` for an algorithm other than HMAC with SHA-2. Without a name it is SHA-256.
    private static func sinchHash(_ name: String?) -> GatewayCrypto.Hash? {
        guard let name else { return .sha256 }
        if name.isSameIgnoringCase(as: "HmacSHA256") { return .sha256 }
        if name.isSameIgnoringCase(as: "HmacSHA384") { return .sha384 }
        return name.isSameIgnoringCase(as: "HmacSHA512") ? .sha512 : nil
    }

    /// Messages are documented as signed with version 2, over the URL and a nonce
    /// (https://www.plivo.com/docs/messaging/concepts/ signature-validation, read 2026-11-25), but real ones were seen
    /// with version 3, which also covers the fields. `Ma` is signed with the main account's token if a sub-account
    /// sends. Any of them is accepted.
    private static func plivo(_ call: ReceiptCall, _ key: String, _ crypto: GatewayCrypto) -> Bool {
        let plain = Array(call.url.utf8.prefix { $0 != UInt8(ascii: "?") })
        if let nonce = call.header("x-plivo-signature-v2-nonce"), nonce.utf8.count <= 128 {
            let headers = ["x-plivo-signature-v2", "x-plivo-signature-ma-v2"]
            for address in Set([plain, Array(call.url.utf8)]) {
                if isPlivo(headers, of: call, address + Array(nonce.utf8), key, crypto) { return true }
            }
        }
        guard let nonce = call.header("x-plivo-signature-v3-nonce"), nonce.utf8.count <= 128,
            let query = FormFields(call.query), let form = FormFields(call.body)
        else { return false }
        var signed = plain
        let hasFields = call.method.utf8.elementsEqual("POST".utf8) && !form.fields.isEmpty
        if !query.fields.isEmpty || hasFields { signed.append(UInt8(ascii: "?")) }
        signed += query.sorted.map { $0.name + [UInt8(ascii: "=")] + $0.value }.joined(separator: [UInt8(ascii: "&")])
        if hasFields {
            if !query.fields.isEmpty { signed.append(UInt8(ascii: ".")) }
            for field in form.sorted { signed += field.name + field.value }
        }
        let headers = ["x-plivo-signature-v3", "x-plivo-signature-ma-v3"]
        return isPlivo(headers, of: call, signed + Array(".\(nonce)".utf8), key, crypto)
    }

    /// Whether one of the comma-separated codes in these headers is right.
    private static func isPlivo(
        _ headers: [String], of call: ReceiptCall, _ signed: [UInt8], _ key: String, _ crypto: GatewayCrypto
    ) -> Bool {
        let expected = crypto.hmac(.sha256, Array(key.utf8), signed)
        return headers.compactMap { call.header($0) }.filter { $0.utf8.count <= 1024 }.contains { header in
            header.utf8.split(separator: UInt8(ascii: ",")).contains { part in
                let text = part.drop { $0 == 0x20 }
                return Base64.decode(text).map { constantTimeEqual($0, expected) } ?? false
            }
        }
    }

    private static func standardWebhooks(
        _ call: ReceiptCall, _ key: String, _ crypto: GatewayCrypto, _ now: Timestamp
    ) -> Bool {
        let time = call.header("webhook-timestamp")
        guard isRecent(time, now), let time, let id = call.header("webhook-id"), id.utf8.count <= 256,
            let header = call.header("webhook-signature"), header.utf8.count <= 2048,
            let key = StandardSecret.key(key)
        else { return false }
        let expected = crypto.hmac(.sha256, key, Array("\(id).\(time).".utf8) + call.body)
        return header.utf8.split(separator: UInt8(ascii: " ")).contains { part in
            guard part.starts(with: "v1,".utf8) else { return false }
            return Base64.decode(part.dropFirst(3)).map { constantTimeEqual($0, expected) } ?? false
        }
    }
}
