internal import Engine
internal import Possession
internal import Text

extension Administrator {
    /// Gives a client another key. Its text is shown only once.
    /// - Throws: `.unknownClient`, `.revoked`, `.invalid`, `.failed`.
    func addKey(
        _ kind: APIKey.Kind, name: String, of client: ClientID
    ) async throws(Refusal) -> (key: APIKey, text: Secret) {
        let now = now()
        let key: APIKey
        let text: String
        do throws(EntropyFault) {
            switch kind {
            case .api: text = apiKeyPrefix + LettersAndDigits.text(of: try randomBytes(32))
            case .sdk: text = "sdk_" + LettersAndDigits.text(of: try randomBytes(16))
            }
            key = APIKey(
                id: APIKeyID(at: now, random: try randomBytes(16)), kind: kind, client: client, digest: keyDigest(text),
                name: name, ending: APIKey.ending(of: text), createdAt: now)
        } catch { throw .failed("the random generator refused") }
        _ = try await validClient(client)
        let isAdded = try await stored { try await apiKeys.add(key) }
        guard isAdded else {
            throw .invalid("this client has \(APIKey.most) keys of the kind \(kind.rawValue): revoke one first")
        }
        return (key, Secret(text))
    }

    /// - Throws: `.unknownClient`, `.failed`.
    func keys(of client: ClientID) async throws(Refusal) -> [APIKey] {
        try await stored {
            guard try await tenants.tenant(client) != nil else { throw Refusal.unknownClient }
            return try await apiKeys.keys(of: client)
        }
    }

    /// Takes effect with the next call.
    /// - Throws: `.unknownKey`, `.failed`.
    func revokeKey(_ id: APIKeyID) async throws(Refusal) -> APIKey {
        guard let removed = try await stored({ try await apiKeys.removeKey(id) }) else { throw .unknownKey }
        return removed
    }
}
