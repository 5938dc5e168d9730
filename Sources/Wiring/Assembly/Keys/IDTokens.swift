internal import Administration
internal import Engine
internal import Possession
internal import Tokens

/// Signs ID tokens. The key is made when an API client first needs one: most servers never sign an ID token, and public
/// reads must not make a key.
actor IDTokens: IDTokenIssuer {
    private typealias Making = Task<SigningKeyFault?, Never>

    private let tokens: ES256TokenService
    private let keeper: SigningKeyKeeper
    private let now: Now
    /// All callers that need the key at the same time wait for the same task.
    private var making: Making?

    init(_ tokens: ES256TokenService, keeper: SigningKeyKeeper, now: @escaping Now) {
        self.tokens = tokens
        self.keeper = keeper
        self.now = now
    }

    nonisolated func issueIDToken(_ token: IDToken, at now: Timestamp) async throws(TokenFault) -> String {
        if let signed = try await sign(token, at: now) { return signed }
        try await makeKey()
        guard let signed = try await sign(token, at: now) else { throw TokenFault("no signing key is active") }
        return signed
    }

    /// Runs on another thread than the caller's event loop, because an RSA signature takes some milliseconds.
    private nonisolated func sign(_ token: IDToken, at now: Timestamp) async throws(TokenFault) -> String? {
        let task = Task.detached { [tokens] () -> Result<String?, TokenFault> in
            do throws(TokenFault) { return .success(try tokens.signIDToken(token, at: now)) } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    nonisolated func idTokenKeySet(at now: Timestamp) -> [UInt8]? { tokens.idTokenKeySet(at: now) }

    private func makeKey() async throws(TokenFault) {
        let task = making ?? begin()
        making = task
        let fault = await task.value
        // After a failed task the next caller begins another. After a successful one the store has a key.
        if making == task { making = nil }
        if let fault { throw TokenFault(fault.advice) }
    }

    /// Runs on another thread than the caller's event loop, because making the key may take a second.
    private func begin() -> Making {
        Task.detached { [tokens, keeper, now] in
            do throws(SigningKeyFault) {
                if let key = try await keeper.first(.idToken, at: now()) {
                    tokens.changeRing { $0.adding(key) }
                }
                return nil
            } catch { return error }
        }
    }
}
