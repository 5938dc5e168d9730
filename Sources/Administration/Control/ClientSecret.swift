internal import Possession
internal import Text

/// The rule for a client secret that somebody chose (TOK-12).
///
/// Secrets are kept under a fast keyed digest, which is right for random ones. One that was chosen elsewhere must
/// therefore have the length of a random one; the sandbox takes short ones, because nothing there is worth guessing.
package struct ClientSecret: Sendable {
    static let most = 256
    private static let leastInLive = 32
    private static let leastInSandbox = 8

    private let isLive: Bool

    package init(isLive: Bool) {
        self.isLive = isLive
    }

    /// Fewest characters.
    var least: Int { isLive ? ClientSecret.leastInLive : ClientSecret.leastInSandbox }

    /// Begins the API keys of backends, so that a key tells where it is for.
    var apiKeyPrefix: String { APIKey.prefix + (isLive ? "live_" : "test_") }

    /// A defect of a secret; `nil`: there is none. Visible ASCII only, so that no tool of the client changes it.
    func defect(of secret: Secret) -> String? {
        let bytes = secret.text.utf8
        guard (least...ClientSecret.most).contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return "the secret must have \(least) to \(ClientSecret.most) visible ASCII characters"
        }
        return nil
    }
}
