internal import Text

/// The secret by which a server of an API client's has its codes sent, in the spellings that the server gives out and takes.
package struct HookSecret: Sendable {
    /// 32 bytes, made of one of the client's secrets.
    private let bytes: [UInt8]
    /// The key of signatures, whose base64 is `text`.
    private let key: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        key = LettersAndDigits.bytesOfPlainBase64(bytes)
    }

    /// 44 letters and digits, as the password of `Authorization: Basic`.
    package var text: String { Base64.encode(key) }

    /// The form of Standard Webhooks that Supabase Auth takes: `v1,whsec_` and `text`.
    package var signing: String { "v1," + WebhookSigning.text(ofSecret: key) }

    /// Keys that a signature may be made with. The second one is of secrets that were given out before secrets had letters
    /// and digits only.
    package var keys: [[UInt8]] { [key, bytes] }

    /// Whether a caller has shown this secret.
    /// - Parameter decoded: the bytes of `shown` as base64url, the spelling in which secrets were given out before.
    package func isShown(by shown: String, decoded: [UInt8]?) -> Bool {
        let isText = SecretDigest(Array(text.utf8)).matches(SecretDigest(Array(shown.utf8)))
        let isBytes = SecretDigest(bytes).matches(SecretDigest(decoded ?? []))
        return isText || isBytes
    }
}
