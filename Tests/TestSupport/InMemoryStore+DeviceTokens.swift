package import Engine
package import Possession

extension InMemoryStore: DeviceTokenStore {
    package func add(_ token: DeviceToken) async throws(StorageFault) -> Bool {
        try withContent { (content) throws(StorageFault) in
            guard content.activations[token.activationID]?.standing.status == .active else { return false }
            guard !content.deviceTokens.contains(where: { $0.id == token.id }) else { throw .duplicate }
            let others = content.deviceTokens.filter { $0.activationID == token.activationID }
            let extra = others.count - (DeviceToken.mostOfActivation - 1)
            for old in others.prefix(max(0, extra)) { content.deviceTokens.removeAll { $0.id == old.id } }
            content.deviceTokens.append(token)
            return true
        }
    }

    package func token(_ id: DeviceTokenID) async throws(StorageFault) -> DeviceToken? {
        try withContent { content in content.deviceTokens.first { $0.id == id } }
    }

    package func removeToken(
        _ id: DeviceTokenID, of activation: ActivationID
    ) async throws(StorageFault) -> Bool {
        try withContent { content in
            let count = content.deviceTokens.count
            content.deviceTokens.removeAll { $0.id == id && $0.activationID == activation }
            return content.deviceTokens.count < count
        }
    }
}

extension InMemoryStore.Content {
    mutating func removeTokens(of activations: some Collection<ActivationID>) {
        deviceTokens.removeAll { activations.contains($0.activationID) }
    }
}
