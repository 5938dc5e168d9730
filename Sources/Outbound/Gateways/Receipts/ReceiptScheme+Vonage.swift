internal import Engine
internal import Possession
internal import Text

extension ReceiptScheme {
    private static let maxSignatureBytes = 128

    /// Covers all fields, of query and body, so that a field that is read cannot be unsigned. MD5 and SHA-1 signatures
    /// are refused: the length identifies the hash.
    static func vonage(_ call: ReceiptCall, _ key: String, _ crypto: GatewayCrypto, _ now: Timestamp) -> Bool {
        guard let query = FormFields(call.query), let form = FormFields(call.body) else { return false }
        let fields = (query.sorted + form.sorted).sorted { $0.name.lexicographicallyPrecedes($1.name) }
        let signatures = fields.filter { $0.name.isSame(as: "sig") }
        let times = fields.filter { $0.name.isSame(as: "timestamp") }
        guard signatures.count == 1, times.count == 1,
            isRecent(String(validating: times[0].value, as: UTF8.self), now),
            signatures[0].value.count <= maxSignatureBytes,
            let code = Hex.bytes(String(decoding: signatures[0].value, as: UTF8.self))
        else { return false }
        var signed: [UInt8] = []
        for field in fields where !field.name.isSame(as: "sig") {
            // In values these marks are replaced; a name with one could be read as several fields.
            guard !field.name.contains(where: isMark) else { return false }
            signed += [UInt8(ascii: "&")] + field.name + [UInt8(ascii: "=")]
            signed += field.value.map { isMark($0) ? UInt8(ascii: "_") : $0 }
        }
        switch code.count {
        case 32: return constantTimeEqual(code, crypto.hmac(.sha256, Array(key.utf8), signed))
        case 64: return constantTimeEqual(code, crypto.hmac(.sha512, Array(key.utf8), signed))
        default: return false
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "&") || byte == UInt8(ascii: "=") }

    static func vonageToken(_ call: ReceiptCall, _ key: String, _ crypto: GatewayCrypto, _ now: Timestamp) -> Bool {
        guard let header = call.header("authorization"), header.utf8.prefix(7).isSameIgnoringCase(as: "Bearer "),
            let token = ReceiptToken(String(decoding: header.utf8.dropFirst(7), as: UTF8.self), key: key, crypto)
        else { return false }
        return token.isText("iss", "Vonage") && token.isRecent("iat", tolerance, at: now.seconds)
            && token.isInForce(at: now.seconds) && token.isDigest("payload_hash", of: call.body)
    }

    static func messageBird(_ call: ReceiptCall, _ key: String, _ crypto: GatewayCrypto, _ now: Timestamp) -> Bool {
        guard let header = call.header("messagebird-signature-jwt"),
            let token = ReceiptToken(header, key: key, by: ReceiptToken.Algorithm.allCases, crypto),
            token.isText("iss", "MessageBird"), token.has("jti"),
            token.has("exp"), token.isRecent("nbf", tolerance, at: now.seconds), token.isInForce(at: now.seconds),
            urlForms(call.url).contains(where: { token.isDigest("url_hash", of: Array($0.utf8)) })
        else { return false }
        return call.body.isEmpty ? !token.has("payload_hash") : token.isDigest("payload_hash", of: call.body)
    }
}
