internal import Locks
internal import HTTPServer
package import Possession

/// Tokens without cryptography: their text says what they are. For tests of what stands above `TokenService`.
package struct FakeTokens: TokenService {
    package init() {}

    package func issueAuthToken(
        for authID: AuthID, nonce: [UInt8], jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        "auth|\(authID.text)|n\(nonce.map(String.init).joined())|\(now.adding(.seconds(900)).milliseconds)"
    }

    package func verifyAuthToken(_ token: String, at now: Timestamp) -> AuthTokenClaims? {
        let parts = token.split(separator: "|").map(String.init)
        guard parts.count == 4, parts[0] == "auth", let id = AuthID(parts[1]), let end = Int64(parts[3]),
            now.milliseconds < end
        else { return nil }
        return AuthTokenClaims(authID: id, nonce: parts[2], expiresAt: Timestamp(milliseconds: end))
    }

    package func issueAccessToken(for clientID: ClientID, jti: [UInt8], at now: Timestamp) throws(TokenFault) -> String
    {
        "access|\(clientID.text)|\(now.adding(.seconds(3600)).milliseconds)"
    }

    package func verifyAccessToken(_ token: String, at now: Timestamp) -> AccessTokenClaims? {
        let parts = token.split(separator: "|").map(String.init)
        guard parts.count == 3, parts[0] == "access", let id = ClientID(parts[1]), let end = Int64(parts[2]),
            now.milliseconds < end
        else { return nil }
        return AccessTokenClaims(clientID: id, expiresAt: Timestamp(milliseconds: end))
    }

    package func publicKeySet(at now: Timestamp) -> [UInt8] { Array(#"{"keys":[]}"#.utf8) }
}

/// Proofs without signatures: `FakeKey` writes them, this reads them, and compares what a real verifier would.
package struct FakeProofs: ProofVerifier {
    package init() {}

    package func verifyDPoP(_ proof: String, expecting expected: DPoPExpectation) -> DPoPProof? {
        let parts = proof.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0] == "dpop", let key = UInt8(parts[1]), parts[3] == expected.method,
            expected.targets.contains(parts[4]), parts[5] == expected.nonce
        else { return nil }
        return DPoPProof(
            thumbprint: FakeKey(key).thumbprint, jtiDigest: Array(parts[2].utf8), issuedAt: expected.systemNow)
    }

    package func verifyDeviceProof(_ proof: String, systemNow: Timestamp) -> DeviceProof? {
        let parts = proof.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0] == "device", let key = UInt8(parts[1]), let authID = AuthID(parts[2]),
            let challenge = FakeKey.decoded(parts[3]),
            let publicKey = PublicKey(x: FakeKey(key).thumbprint.bytes, y: FakeKey(key).thumbprint.bytes)
        else { return nil }
        return DeviceProof(
            publicKey: publicKey, thumbprint: FakeKey(key).thumbprint, authID: authID, challenge: challenge,
            sessionKey: UInt8(parts[4]).map { FakeKey($0).thumbprint }, operation: .register)
    }
}

/// A client's key in name only.
package struct FakeKey: Sendable {
    package let number: UInt8

    package init(_ number: UInt8) {
        self.number = number
    }

    package var thumbprint: Thumbprint { Thumbprint([UInt8](repeating: number, count: 32))! }

    package func dpop(_ method: String, _ target: String, token: String, jti: String) -> String {
        let nonce = token.split(separator: "|").dropFirst(2).first ?? ""
        return "dpop|\(number)|\(jti)|\(method)|\(target)|\(nonce)"
    }

    /// - Parameter challenge: base64url, as the state document has it.
    package func deviceProof(session: String, challenge: String, sessionKey: FakeKey?) -> String {
        "device|\(number)|\(session)|\(challenge)|\(sessionKey.map { String($0.number) } ?? "")"
    }

    /// base64url without padding.
    static func decoded(_ text: String) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var bytes: [UInt8] = []
        var pending: UInt32 = 0
        var bits = 0
        for character in text.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            pending = pending << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        return bytes
    }
}

/// A carrier that takes everything, or nothing.
package final class FakeGateway: MessageGateway {
    private struct State {
        var sent: [OutgoingMessage] = []
        var refuses = false
    }

    private let state = Locked(State())

    package init() {}

    package var sent: [OutgoingMessage] { state.withLock { $0.sent } }

    package func refuse(_ refuses: Bool) {
        state.withLock { $0.refuses = refuses }
    }

    package func send(_ message: OutgoingMessage) async throws(GatewayFault) {
        let refuses = state.withLock { state in
            if !state.refuses { state.sent.append(message) }
            return state.refuses
        }
        if refuses { throw GatewayFault("told to refuse") }
    }
}

/// A clock that stands until a test moves it.
package final class FixedClock: SandboxClock {
    package static let start = Timestamp(seconds: 1_767_261_600)

    private let offset = Locked<Int64>(0)

    package init() {}

    package var offsetSeconds: Int64 { offset.withLock { $0 } }
    package func now() -> Timestamp { FixedClock.start.adding(.seconds(offsetSeconds)) }
    package func reset() { offset.withLock { $0 = 0 } }

    package func advance(seconds: Int64) -> Bool {
        guard seconds >= 0, seconds < 1_000_000_000 else { return false }
        offset.withLock { $0 += seconds }
        return true
    }
}
