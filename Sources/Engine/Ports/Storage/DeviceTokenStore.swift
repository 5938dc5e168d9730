package import Possession

/// Stores tokens of activations.
///
///     guard let token = try await tokens.token(id), token.activationID == activation.id,
///         try devices.isProof(proof, by: token.sealedSecret, of: activation.id, at: now)
///     else { throw .unauthorized }
package protocol DeviceTokenStore: Sendable {
    /// Adds a token of an active activation, as one step. Beyond `DeviceToken.mostOfActivation` the oldest one is
    /// removed.
    /// - Returns: `false`: there is no such activation, or it is not active. Nothing is stored.
    /// - Throws: `.duplicate`: the id is taken.
    func add(_ token: DeviceToken) async throws(StorageFault) -> Bool

    /// The activation of a token may have been blocked meanwhile: the caller must check its standing.
    func token(_ id: DeviceTokenID) async throws(StorageFault) -> DeviceToken?

    /// - Returns: `false`: this activation has no such token.
    func removeToken(_ id: DeviceTokenID, of activation: ActivationID) async throws(StorageFault) -> Bool
}
