internal import Engine
internal import Possession
internal import Tokens

extension Case {
    private static let now = Timestamp(seconds: 1_767_261_600)
    private static let authID = AuthID(bits: 0x0198_0000_0000_7000_8000_0000_0000_0001)
    private static let random = [UInt8](repeating: 7, count: 16)

    private static func tokenService(_ limits: TokenLimits = TokenLimits()) throws -> ES256TokenService {
        let records = try [SigningKeyRecord.Purpose.auth, .access].map { purpose in
            SigningKeyRecord(key: try SigningKey.generate(), purpose: purpose, createdAt: now, activatesAt: now)
        }
        return ES256TokenService(publicURL: "http://127.0.0.1:8080", ring: SigningKeyRing(records), limits: limits)
    }

    static let tokenSign = Case(name: "token sign") {
        let service = try tokenService()
        return { keep(try? service.issueAuthToken(for: authID, nonce: random, jti: random, at: now)) }
    }

    /// Two tokens in turn, of which only one is remembered, so that each is a stranger again.
    static let tokenVerifyFirst = Case(name: "token verify, first") {
        var limits = TokenLimits()
        limits.rememberedTokens = 1
        let service = try tokenService(limits)
        let tokens = try (0..<4).map { _ in
            try service.issueAuthToken(for: authID, nonce: random, jti: random, at: now)
        }
        var turn = 0
        return {
            guard service.verifyAuthToken(tokens[turn % tokens.count], at: now) != nil else { fatalError("refused") }
            turn += 1
        }
    }

    static let tokenVerifyAgain = Case(name: "token verify, again") {
        let service = try tokenService()
        let token = try service.issueAuthToken(for: authID, nonce: random, jti: random, at: now)
        return {
            guard service.verifyAuthToken(token, at: now) != nil else { fatalError("refused") }
        }
    }
}
