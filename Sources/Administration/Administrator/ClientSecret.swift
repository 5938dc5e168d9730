internal import Possession
internal import Text

/// The rule for a client secret that an operator chose (TOK-12).
///
/// The store keeps secrets under a fast keyed digest, which is safe only for random secrets. So a chosen secret must be
/// as long as a random one. A sandbox accepts short ones, because it protects nothing.
package struct ClientSecret: Sendable {
    static let most = 256
    private static let leastInLive = 32
    private static let leastInSandbox = 8

    private let isLive: Bool

    package init(isLive: Bool) {
        self.isLive = isLive
    }

    /// The least number of characters.
    var least: Int { isLive ? ClientSecret.leastInLive : ClientSecret.leastInSandbox }

    /// The prefix of API keys for backends. It shows whether a key is for a live server or a test.
    var apiKeyPrefix: String { APIKey.prefix + (isLive ? "live_" : "test_") }

    /// The defect of a secret; `nil`: it has none. Only visible ASCII is allowed, so that no tool of the client changes
    /// the secret.
    func defect(of secret: Secret) -> String? {
        let bytes = secret.text.utf8
        guard (least...ClientSecret.most).contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return "the secret must have \(least) to \(ClientSecret.most) visible ASCII characters"
        }
        return nil
    }
}
