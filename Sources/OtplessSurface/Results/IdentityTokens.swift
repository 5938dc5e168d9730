internal import Engine
internal import Possession

/// Issues ID tokens for proven persons.
struct IdentityTokens: Sendable {
    let idTokens: any IDTokenIssuer
    /// The `iss` of ID tokens.
    let issuer: String
    let now: Now

    /// The result for a person, with a new ID token.
    func oneTap(of person: ProvenPerson) async throws(OtplessError) -> OneTap {
        do throws(TokenFault) {
            let idToken = try await idTokens.issueIDToken(person.idToken(issuer: issuer), at: now())
            return OneTap(person: person, idToken: idToken)
        } catch { throw .internalFault("an ID token could not be made: \(error)") }
    }
}

/// The result of a request that has succeeded.
struct OneTap: Sendable {
    let person: ProvenPerson
    let idToken: String
}
