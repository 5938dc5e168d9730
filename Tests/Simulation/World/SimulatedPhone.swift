internal import COpenSSL
internal import Text
internal import Tokens

/// A phone that was activated. It is written from PowerAuth's words, with nothing of the server's but hashes.
///
/// Its private key is 1: its public key is the generator of P-256, and what it shares with the server is the x of the
/// server's key.
struct SimulatedPhone {
    /// SEC 2 section 2.4.2, in Base64.
    static let publicKey = "A2sX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKW"
    /// No point of P-256.
    static let brokenKey = "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB"
    /// Keys of the app, in Base64. They are the sandbox's, which are public.
    static let applicationKey = "aG9sZGZhc3Qtc2FuZGJveA=="
    static let applicationSecret = "cHVibGljLXNlY3JldC0wMQ=="
    static let masterPrivateKey = "dGhlLXB1YmxpYy1tYXN0ZXIta2V5LW9mLXNhbmRib3g="

    let activationID: String
    private let masterSecret: [UInt8]
    private let firstCounter: [UInt8]

    /// - Parameters:
    ///   - serverKey: a point of P-256, uncompressed, in Base64.
    ///   - counter: the start of the counter, 16 bytes in Base64.
    init?(activationID: String, serverKey: String, counter: String) {
        guard let point = Base64.decode(serverKey.utf8), point.count == 65,
            let counter = Base64.decode(counter.utf8), counter.count == 16
        else { return nil }
        self.activationID = activationID
        masterSecret = Self.fold(Array(point[1..<33]))
        firstCounter = counter
    }

    // MARK: Signing

    /// The value of the header that signs a call.
    /// - Parameters:
    ///   - number: of the signature, from 0 on.
    ///   - resource: the path without the version.
    ///   - isRight: otherwise the last byte is another one.
    func signature(
        _ number: Int, withKnowledge: Bool, of body: [UInt8], to resource: String, nonce: [UInt8], isRight: Bool
    ) -> String {
        let counter = (0..<number).reduce(firstCounter) { counter, _ in
            Self.fold(MessageCode.digest(.sha256, counter))
        }
        let texts = [
            "POST", Base64.encode(Array(resource.utf8)), Base64.encode(nonce), Base64.encode(body),
            Self.applicationSecret,
        ]
        let data = Array(texts.joined(separator: "&").utf8)
        let keys = (withKnowledge ? [1, 2] : [1]).map { Self.hmac(key($0), counter) }
        var signature = Self.hmac(keys[0], data).suffix(16)
        if withKnowledge { signature += Self.hmac(Self.hmac(keys[1], keys[1]), data).suffix(16) }
        if !isRight { signature[signature.endIndex - 1] ^= 1 }
        let pairs = [
            ("pa_version", "3.3"), ("pa_activation_id", activationID), ("pa_application_key", Self.applicationKey),
            ("pa_nonce", Base64.encode(nonce)),
            ("pa_signature_type", withKnowledge ? "possession_knowledge" : "possession"),
            ("pa_signature", Base64.encode(Array(signature))),
        ]
        return "PowerAuth " + pairs.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ", ")
    }

    // MARK: Standing

    struct Standing: Hashable {
        /// 3: active, 4: blocked, 5: removed.
        let state: UInt8
        let failedAttempts: UInt8
    }

    /// `nil`: it is not for this phone.
    func standing(_ encrypted: [UInt8], nonce: [UInt8], challenge: [UInt8]) -> Standing? {
        let key = key(1000)
        let iv = Self.fold(Self.hmac(Self.key(from: key, 3000), challenge + nonce))
        let plain = Self.aes(EVP_aes_128_cbc(), key, iv, encrypted, encrypts: false)
        guard plain.count == 32, plain.starts(with: [0xDE, 0xC0, 0xDE, 0xD1]) else { return nil }
        return Standing(state: plain[4], failedAttempts: plain[13])
    }

    // MARK: Keys

    private func key(_ number: UInt16) -> [UInt8] { Self.key(from: masterSecret, number) }

    private static func key(from key: [UInt8], _ number: UInt16) -> [UInt8] {
        let block = [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 0xFF)]
        return aes(EVP_aes_128_ecb(), key, nil, block, encrypts: true)
    }

    private static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        MessageCode.hmac(.sha256, key: key, message)
    }

    private static func fold(_ bytes: [UInt8]) -> [UInt8] { zip(bytes[..<16], bytes[16...]).map { $0 ^ $1 } }

    /// AES-128 of whole blocks.
    private static func aes(
        _ cipher: OpaquePointer?, _ key: [UInt8], _ iv: [UInt8]?, _ input: [UInt8], encrypts: Bool
    ) -> [UInt8] {
        guard let context = EVP_CIPHER_CTX_new() else { return [] }
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: input.count + 16)
        var count: Int32 = 0
        guard EVP_CipherInit_ex(context, cipher, nil, key, iv, encrypts ? 1 : 0) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            EVP_CipherUpdate(context, &output, &count, input, Int32(input.count)) == 1
        else { return [] }
        return Array(output.prefix(Int(count)))
    }
}
