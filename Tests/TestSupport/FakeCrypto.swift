internal import Sandbox
internal import Locks
internal import HTTPServer
package import Engine
package import Possession
package import Text

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

    package func expiredAuthToken(_ token: String, at now: Timestamp) -> AuthID? {
        guard verifyAuthToken(token, at: now) == nil else { return nil }
        return verifyAuthToken(token, at: Timestamp(milliseconds: 0))?.authID
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

    package func issueScopedToken(
        _ grant: ScopedGrant, lifetime: Duration, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        // A token has no blanks and no commas.
        let scopes = grant.scopes.joined(separator: ";")
        let end = now.adding(lifetime).milliseconds
        return "scoped|\(grant.clientID.text)|\(grant.audience)|\(scopes)|\(end)|\(grant.session?.text ?? "none")"
    }

    package func verifyScopedToken(_ token: String, audience: String, at now: Timestamp) -> ScopedGrant? {
        let parts = token.split(separator: "|").map(String.init)
        guard parts.count == 6, parts[0] == "scoped", let id = ClientID(parts[1]), parts[2] == audience,
            let end = Int64(parts[4]), now.milliseconds < end
        else { return nil }
        return ScopedGrant(
            clientID: id, audience: audience, scopes: parts[3].split(separator: ";").map(String.init),
            session: CorrelationID(parts[5]))
    }

    package func issueStatement(
        _ statement: PossessionStatement, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        let parts = [
            statement.audience, statement.clientID.text, statement.session.text, statement.number.e164,
            statement.method.rawValue, String(statement.provenAt.milliseconds),
        ]
        return "statement|" + parts.joined(separator: "|")
    }

    package func publicKeySet(at now: Timestamp) -> [UInt8] { Array(#"{"keys":[]}"#.utf8) }
}

/// Proofs without signatures: `FakeKey` writes them, this reads them, and compares what a real verifier would.
package struct FakeProofs: ProofVerifier {
    package init() {}

    package func verifyDPoP(_ proof: String, expecting expected: DPoPExpectation) throws(ProofFault) -> DPoPProof {
        let parts = proof.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0] == "dpop", let key = UInt8(parts[1]), parts[3] == expected.method,
            expected.targets.contains(parts[4]), parts[5] == expected.nonce
        else { throw .form }
        return DPoPProof(
            thumbprint: FakeKey(key).thumbprint, jtiDigest: Array(parts[2].utf8), issuedAt: expected.systemNow,
            checkedAt: expected.systemNow, validUntil: expected.systemNow.adding(.seconds(61)))
    }

    package func verifyDeviceProof(_ proof: String, systemNow: Timestamp) throws(ProofFault) -> DeviceProof {
        let parts = proof.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0] == "device", let key = UInt8(parts[1]), let authID = AuthID(parts[2]),
            let challenge = FakeKey.decoded(parts[3]),
            let publicKey = PublicKey(x: FakeKey(key).thumbprint.bytes, y: FakeKey(key).thumbprint.bytes)
        else { throw .form }
        return DeviceProof(
            publicKey: publicKey, thumbprint: FakeKey(key).thumbprint, authID: authID, challenge: challenge,
            sessionKey: UInt8(parts[4]).map { FakeKey($0).thumbprint }, operation: .register)
    }
}

/// Mobile Auth values without signatures: their text says what they are.
package struct FakeMobileAuthTokens: MobileAuthTokens {
    package init() {}

    package func state(of attempt: AttemptID) -> String { "state-" + FakeKey.encoded(attempt.bytes) }

    package func attempt(inState text: String) -> AttemptID? {
        guard text.hasPrefix("state-") else { return nil }
        return FakeKey.decoded(String(text.dropFirst(6))).flatMap { AttemptID($0) }
    }

    package func verifier(of attempt: AttemptID) -> String { "verifier-" + FakeKey.encoded(attempt.bytes) }
    package func codeChallenge(of attempt: AttemptID) -> String { "challenge-" + FakeKey.encoded(attempt.bytes) }

    package func fingerprint(_ fingerprint: Fingerprint) -> String {
        let key = fingerprint.sessionKey.map { String($0.bytes[0]) } ?? ""
        return [
            "vfp", FakeKey.encoded(fingerprint.attempt.bytes), fingerprint.authID.text, key,
            FakeKey.encoded(fingerprint.result), "\(fingerprint.issuedAt.milliseconds)",
            "\(fingerprint.expiresAt.milliseconds)",
        ].joined(separator: "|")
    }

    package func fingerprint(in text: String) -> Fingerprint? {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 7, parts[0] == "vfp",
            let attempt = FakeKey.decoded(parts[1]).flatMap({ AttemptID($0) }), let authID = AuthID(parts[2]),
            let result = FakeKey.decoded(parts[4]), let issuedAt = Int64(parts[5]), let expiresAt = Int64(parts[6])
        else { return nil }
        return Fingerprint(
            attempt: attempt, authID: authID, sessionKey: UInt8(parts[3]).map { FakeKey($0).thumbprint },
            result: result, issuedAt: Timestamp(milliseconds: issuedAt), expiresAt: Timestamp(milliseconds: expiresAt))
    }

    /// Digits of the result's bytes.
    package func code(of attempt: AttemptID, _ result: [UInt8], length: Int) -> OTP {
        let bytes = result + attempt.bytes
        return OTP(bytes.prefix(length).map { String($0 % 10) }.joined())!
    }

    package func address(_ address: String) -> AddressDigest { AddressDigest(Array(address.utf8)) }
}

/// One operator for every address, which answers what a test told it.
package final class FakeOperator: MobileOperator, MobileOperators {
    private let answer = Locked<Result<OperatorAnswer, OperatorFault>>(.failure(.notOnNetwork))
    private let serves = Locked(true)
    private let seen = Locked<[String]>([])
    private let meanwhile = Locked<(@Sendable () async -> Void)?>(nil)

    package let name = "fake"

    package init() {}

    package func answer(_ result: Result<OperatorAnswer, OperatorFault>) { answer.withLock { $0 = result } }
    /// Whether any address is one of its network.
    package func serve(_ serves: Bool) { self.serves.withLock { $0 = serves } }
    /// Sets the work that is done before it answers.
    package func meanwhile(_ work: (@Sendable () async -> Void)?) { meanwhile.withLock { $0 = work } }
    /// The codes that were redeemed, and the tokens.
    package var redeemed: [String] { seen.withLock { $0 } }

    package func serving(address: IPAddress?) -> (any MobileOperator)? { serves.withLock { $0 } ? self : nil }
    package func named(_ name: String) -> (any MobileOperator)? { name == self.name ? self : nil }

    package func authorizeURL(_ request: OperatorRequest) -> String? {
        "https://operator.example/authorize?state=\(request.state)&hint=\(request.loginHint?.e164 ?? "")"
    }

    /// Takes tokens of `26201`.
    package func takingTokens(of network: PLMN) -> (any MobileOperator)? { network == PLMN("26201") ? self : nil }

    package var onlyOneTakingTokens: (any MobileOperator)? { serves.withLock { $0 } ? self : nil }

    package func identify(_ grant: OperatorGrant, claimed: PhoneNumber?) async throws(OperatorFault) -> OperatorAnswer {
        switch grant {
        case .code(let code, _): seen.withLock { $0.append(code) }
        case .token(let token): seen.withLock { $0.append("token " + token.text) }
        }
        await meanwhile.withLock { $0 }?()
        return try answer.withLock { $0 }.get()
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
    package static func encoded(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(pending >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(pending << UInt32(6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// base64url without padding.
    package static func decoded(_ text: String) -> [UInt8]? {
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
        var fault = GatewayFault("told to refuse")
        var routes = ["main"]
        var channels = OutgoingMessage.Channel.allCases
        var receiptSeconds: Int?
        var beforeAnswer: (@Sendable (OutgoingMessage) async -> Void)?
    }

    private let state = Locked(State())

    package init() {}

    package var sent: [OutgoingMessage] { state.withLock { $0.sent } }

    package func refuse(_ refuses: Bool) {
        state.withLock { $0.refuses = refuses }
    }

    /// Refuses every message for this reason.
    package func refuse(as fault: GatewayFault) {
        state.withLock { ($0.refuses, $0.fault) = (true, fault) }
    }

    /// By name, in the order in which messages take them; all of them have receipts.
    /// - Parameter channels: that they carry.
    package func take(routes: [String], over channels: [OutgoingMessage.Channel] = OutgoingMessage.Channel.allCases) {
        state.withLock { ($0.routes, $0.channels) = (routes, channels) }
    }

    /// The first receipt of each message comes within so many seconds.
    package func answer(within seconds: Int) { state.withLock { $0.receiptSeconds = seconds } }

    /// Runs for each message that is taken, before the gateway answers.
    package func beforeAnswer(_ act: (@Sendable (OutgoingMessage) async -> Void)?) {
        state.withLock { $0.beforeAnswer = act }
    }

    @discardableResult
    package func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
        let ways = state.withLock { state in
            let left = message.forms.filter { state.channels.contains($0.channel) }.flatMap { form in
                state.routes.filter { !message.avoids($0, on: form.channel) }.map { ($0, form.channel) }
            }
            if !state.refuses, !left.isEmpty { state.sent.append(message) }
            return state.refuses ? [] : left
        }
        guard let (gateway, channel) = ways.first else { throw state.withLock { $0.fault } }
        await state.withLock { $0.beforeAnswer }?(message)
        let due = state.withLock { $0.receiptSeconds }.map { message.sentAt.adding(.seconds($0)) }
        return Acceptance(gateway: gateway, channel: channel, hasNextRoute: ways.count > 1, receiptDue: due)
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
