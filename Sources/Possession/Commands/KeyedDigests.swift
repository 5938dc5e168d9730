package import Text

/// Keyed digests and random values, as closures so that tests can fix them.
///
/// One object, for the same reason as `Engine`.
package final class KeyedDigests: Sendable {
    /// Digest of a code, for one session and target; HMAC-SHA-256 with the OTP key.
    package let otp: @Sendable (_ code: OTP, _ session: AuthID, _ target: Target) -> OTPDigest
    /// Digest of a client secret.
    package let secret: @Sendable (_ secret: String, _ client: ClientID) -> SecretDigest
    /// Digest of the text of an API key.
    package let apiKey: @Sendable (_ text: String) -> SecretDigest
    /// Digest of a request body.
    package let body: @Sendable (_ body: [UInt8]) -> BodyDigest
    /// SHA-256 of an instant link's token, of the ticket of a Mobile Auth attempt, and of a flow token. Each contains
    /// 128 random bits.
    package let link: @Sendable (_ token: String) -> LinkDigest
    package let ticket: @Sendable (_ ticket: String) -> TicketDigest
    package let flow: @Sendable (_ token: String) -> FlowDigest
    /// SHA-256 of a code that a link gave to a browser, and of a verifier.
    package let exchange: @Sendable (_ code: String) -> ExchangeDigest
    package let challenge: @Sendable (_ verifier: String) -> CodeChallenge
    /// 16 bytes of a session that only this server can compute: the token of the link in messages with a code.
    package let codeLink: @Sendable (_ session: CorrelationID) -> [UInt8]
    /// 16 bytes of a message and a gateway that only this server can compute; HMAC-SHA-256 with a separate key.
    package let receipt: @Sendable (_ session: CorrelationID, _ message: MessageID, _ gateway: String) -> [UInt8]
    /// 16 bytes of a session and its client that only this server can compute. They show the client's own backend that
    /// the session has succeeded.
    package let result: @Sendable (_ session: CorrelationID, _ client: ClientID) -> [UInt8]
    /// 16 bytes of the data given to a client's app that only this server can compute. They prove that the server gave
    /// it.
    package let appState: @Sendable (_ given: [UInt8], _ client: ClientID) -> [UInt8]
    /// 16 bytes by which a client recognizes a number or an address. They differ for every client.
    package let subject: @Sendable (_ target: Target, _ client: ClientID) -> [UInt8]
    private let saidFrom: @Sendable (_ said: Identification, _ network: IPAddress?, _ client: ClientID) -> [UInt8]
    /// The secret with which a server of the client may send its own codes and do nothing else. 32 bytes derived from
    /// one of the client's secrets, and valid as long as that one.
    package let hook: @Sendable (_ secret: SecretDigest, _ client: ClientID) -> [UInt8]
    /// base64url without padding, as random bytes appear in URLs, and back. `nil` unless the text has the canonical
    /// form.
    package let text: @Sendable (_ bytes: [UInt8]) -> String
    package let bytes: @Sendable (_ text: String) -> [UInt8]?

    package init(
        otp: @escaping @Sendable (OTP, AuthID, Target) -> OTPDigest,
        secret: @escaping @Sendable (String, ClientID) -> SecretDigest,
        apiKey: @escaping @Sendable (String) -> SecretDigest,
        body: @escaping @Sendable ([UInt8]) -> BodyDigest,
        link: @escaping @Sendable (String) -> LinkDigest, ticket: @escaping @Sendable (String) -> TicketDigest,
        flow: @escaping @Sendable (String) -> FlowDigest,
        exchange: @escaping @Sendable (String) -> ExchangeDigest,
        challenge: @escaping @Sendable (String) -> CodeChallenge,
        codeLink: @escaping @Sendable (CorrelationID) -> [UInt8],
        receipt: @escaping @Sendable (CorrelationID, MessageID, String) -> [UInt8],
        result: @escaping @Sendable (CorrelationID, ClientID) -> [UInt8],
        appState: @escaping @Sendable ([UInt8], ClientID) -> [UInt8],
        subject: @escaping @Sendable (Target, ClientID) -> [UInt8],
        identification: @escaping @Sendable (Identification, _ network: IPAddress?, ClientID) -> [UInt8],
        hook: @escaping @Sendable (SecretDigest, ClientID) -> [UInt8],
        text: @escaping @Sendable ([UInt8]) -> String, bytes: @escaping @Sendable (String) -> [UInt8]?
    ) {
        self.otp = otp
        self.secret = secret
        self.apiKey = apiKey
        self.body = body
        self.link = link
        self.ticket = ticket
        self.flow = flow
        self.exchange = exchange
        self.challenge = challenge
        self.codeLink = codeLink
        self.receipt = receipt
        self.result = result
        self.appState = appState
        self.subject = subject
        saidFrom = identification
        self.hook = hook
        self.text = text
        self.bytes = bytes
    }

    /// 16 bytes by which a client recognizes an identification. They differ for every client.
    package func identification(_ said: Identification, _ client: ClientID) -> [UInt8] { saidFrom(said, nil, client) }

    /// As above, for one network: the same identification from another network has another value.
    /// - Parameter address: the caller's; `nil`: unknown. All such callers count as one network.
    package func identification(
        _ said: Identification, from address: IPAddress?, _ client: ClientID
    ) -> [UInt8] {
        saidFrom(said, MessageSource(address).network, client)
    }
}
