internal import Locks
package import Engine
package import Possession
import StrictJSON
internal import Text

extension ES256TokenService {
    package func issueStatement(
        _ statement: PossessionStatement, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String {
        try sign(statement, jti: jti, issuedAt: machineTime(now), at: now)
    }

    /// The same with the times of the proof, so that they do not depend on the time of the request; `nil`: it would
    /// already be expired.
    package func statementOfProof(
        _ statement: PossessionStatement, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String? {
        guard now < statement.provenAt.adding(limits.statementLifetime) else { return nil }
        return try sign(statement, jti: jti, issuedAt: min(statement.provenAt, machineTime(now)), at: now)
    }

    private func sign(
        _ statement: PossessionStatement, jti: [UInt8], issuedAt: Timestamp, at now: Timestamp
    ) throws(TokenFault) -> String {
        guard let record = ring.withLock({ $0.signer(for: .statement, at: now) }), let key = record.key else {
            throw TokenFault("no signing key is active")
        }
        // `phone_number` and its flag: OpenID Connect Core section 5.1. `txn`: RFC 8417 section 2.2.
        let claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(statement.audience), "jti": .string(Base64URL.encode(jti)),
            "client_id": .string(statement.clientID.text), "txn": .string(statement.session.text),
            "phone_number": .string(statement.number.e164), "phone_number_verified": true,
            "method": .string(statement.method.rawValue),
            "auth_time": .integer(min(statement.provenAt, issuedAt).seconds),
            "iat": .integer(issuedAt.seconds), "nbf": .integer(issuedAt.seconds),
            "exp": .integer(issuedAt.adding(limits.statementLifetime).seconds),
        ]
        return try JWS.make(header: record.encodedHeader, claims: claims.serialized(), key: key).token
    }
}
