internal import Locks
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Outstanding grants of the simulated operator: codes, tokens, and the assertions it has seen. Only in memory, each
/// bounded in number and time.
final class OperatorGrants: Sendable {
    /// A code, and the values that must be sent with it.
    struct Code: Sendable {
        let connection: SimulatedConnection
        let scope: OperatorScope
        let redirectURI: String
        let challenge: String
    }

    struct Token: Sendable {
        let connection: SimulatedConnection
        let scope: OperatorScope
    }

    /// Lifetime of a token that a phone got (GSMA TS.43).
    static let phoneTokenLifetime = Duration.seconds(300)
    static let codeLifetime = Duration.seconds(60)
    static let tokenLifetime = Duration.seconds(300)
    /// Most codes, and most tokens of each kind.
    private static let capacity = 1024

    private let phoneTokens = Locked(ExpiringTable<SimulatedConnection>(capacity: capacity))
    private let codes = Locked(ExpiringTable<Code>(capacity: capacity))
    private let tokens = Locked(ExpiringTable<Token>(capacity: capacity))
    private let assertions = UsedAssertions()
    private let now: Now
    private let randomBytes: RandomBytes
    private let report: @Sendable (String) -> Void

    init(now: @escaping Now, randomBytes: @escaping RandomBytes, report: @escaping @Sendable (String) -> Void) {
        self.now = now
        self.randomBytes = randomBytes
        self.report = report
    }

    /// `nil` when there are no random bytes.
    func issue(_ code: Code) -> String? {
        guard let name = name() else { return nil }
        let now = now()
        codes.withLock { $0.insert(code, for: name, until: now.adding(Self.codeLifetime), at: now) }
        return name
    }

    /// The token for a phone with this connection; `nil` when there are no random bytes.
    func issue(to connection: SimulatedConnection) -> String? {
        guard let name = name() else { return nil }
        let now = now()
        phoneTokens.withLock { $0.insert(connection, for: name, until: now.adding(Self.phoneTokenLifetime), at: now) }
        return name
    }

    func issue(_ token: Token) -> String? {
        guard let name = name() else { return nil }
        let now = now()
        tokens.withLock { $0.insert(token, for: name, until: now.adding(Self.tokenLifetime), at: now) }
        return name
    }

    /// Returns a code once.
    func take(code: String) -> Code? {
        let now = now()
        return codes.withLock { $0.remove(code, at: now) }
    }

    /// Returns the connection of a phone's token once.
    func take(phoneToken: String) -> SimulatedConnection? {
        let now = now()
        return phoneTokens.withLock { $0.remove(phoneToken, at: now) }
    }

    /// Returns a token once: CAMARA requires single use.
    func take(token: String) -> Token? {
        let now = now()
        return tokens.withLock { $0.remove(token, at: now) }
    }

    /// Whether an assertion is seen for the first time (RFC 7523 section 3, item 7).
    func isNew(_ assertion: ClientAssertion) -> Bool {
        assertions.take(assertion, at: now()) == .new
    }

    private func name() -> String? {
        do { return Base64URL.encode(try randomBytes(32)) } catch {
            report("the simulated operator has no random bytes")
            return nil
        }
    }
}
