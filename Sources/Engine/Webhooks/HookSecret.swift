internal import Possession
internal import Text

/// The secret with which a server of an API client has its codes sent, in the spellings that this server issues and
/// accepts.
package struct HookSecret: Sendable {
    /// 32 bytes, derived from one of the client's secrets.
    private let bytes: [UInt8]
    /// The signing key, whose base64 form is `text`.
    private let key: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        key = LettersAndDigits.bytesOfPlainBase64(bytes)
    }

    /// 44 letters and digits, as the password of `Authorization: Basic`.
    package var text: String { Base64.encode(key) }

    /// The form of Standard Webhooks that Supabase Auth accepts: `v1,whsec_` and `text`.
    package var signing: String { "v1," + WebhookSigning.text(ofSecret: key) }

    /// Keys that a signature may use. The second one is for secrets that were issued before secrets had only letters
    /// and digits.
    package var keys: [[UInt8]] { [key, bytes] }

    /// Whether a caller has shown this secret.
    /// - Parameter decoded: the bytes of `shown` as base64url, the earlier spelling of secrets.
    package func isShown(by shown: String, decoded: [UInt8]?) -> Bool {
        let isText = SecretDigest(Array(text.utf8)).matches(SecretDigest(Array(shown.utf8)))
        let isBytes = SecretDigest(bytes).matches(SecretDigest(decoded ?? []))
        return isText || isBytes
    }
}
