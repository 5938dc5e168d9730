internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

// An envelope as JSON: its bytes are in Base64 (RFC 4648 section 4), its time is a number.

extension Envelope {
    /// Reads an encrypted request.
    ///
    ///     {"ephemeralPublicKey":"...","encryptedData":"...","mac":"...","nonce":"...","timestamp":1767265200000,
    ///      "temporaryKeyId":"..."}
    ///
    /// `nil`: a member is missing or has the wrong type. The cryptography checks lengths, and which members belong to
    /// the version.
    init?(_ object: JSONObject, version: DeviceProtocolVersion) {
        func bytes(_ name: String) -> [UInt8]? { object[name]?.string.flatMap { Base64.decode($0.utf8) } }
        guard let key = bytes("ephemeralPublicKey"), let data = bytes("encryptedData"), let mac = bytes("mac"),
            let nonce = bytes("nonce"), let timestamp = object["timestamp"]?.integer
        else { return nil }
        let temporaryKey = object["temporaryKeyId"]
        guard temporaryKey == nil || temporaryKey?.string != nil else { return nil }
        self.init(
            version: version, ephemeralPublicKey: key, ciphertext: data, mac: mac, nonce: nonce, timestamp: timestamp,
            temporaryKeyID: temporaryKey?.string)
    }
}

extension EnvelopeReply {
    var object: JSONObject {
        var object = JSONObject()
        object.set("encryptedData", Base64.encode(ciphertext))
        object.set("mac", Base64.encode(mac))
        object.set("nonce", Base64.encode(nonce))
        object.set("timestamp", timestamp)
        return object
    }
}

extension BodyForm {
    /// An envelope for an activation. Its endpoint parses it, so that every defect gets the same answer.
    static let envelope = BodyForm.json(
        """
        {"ephemeralPublicKey":"Awe+CP/SBxK4U8Szk4/2mJEI+k5J0t1Iul1FTNBNdG4K","encryptedData":"Im5FJi42sIoKKuRQwyKaXw==\
        ","mac":"kfqKaModZjh98LCMNOHyVdu2jr+zqIjq8Y185iTz9Qw=","nonce":"5YS/q6v60vqPzZwW/TqOhg==\
        ","timestamp":1767265200000}
        """, upTo: .short)
}

extension Reply<JSONObject> {
    /// An encrypted answer.
    static var envelope: Reply {
        Reply(
            .record([
                must("encryptedData", .text(), "The encrypted answer in Base64: blocks of 16 bytes."),
                must("mac", .text(), "The authentication code of encryptedData: 32 bytes in Base64."),
                must("nonce", .text(), "16 bytes in Base64, new for each answer."),
                must(
                    "timestamp", .integer(0...Int.max),
                    "When the answer was encrypted, in milliseconds since 1970, by the machine's clock."),
            ])
        ) { $0 }
    }
}

extension Input where Value == [UInt8] {
    /// Base64 of one of these numbers of bytes.
    static func base64(_ sizes: Int...) -> Input {
        let words = sizes.map(String.init).joined(separator: " or ")
        return Input<String>.anyText
            .map(orFail: "must be \(words) bytes in Base64, with padding") { text in
                Base64.decode(text.utf8).flatMap { sizes.contains($0.count) ? $0 : nil }
            }.described(as: .text(pattern: "^[A-Za-z0-9+/]+={0,2}$"))
    }
}

extension Output where Value == [UInt8] {
    static var base64: Output { Output(Schema.text(pattern: "^[A-Za-z0-9+/]+={0,2}$")) { .string(Base64.encode($0)) } }
}
