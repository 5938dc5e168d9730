/// Values of activations and applications that are sealed for storage, each for the id that stands behind its label. The
/// cryptography seals them with these contexts, and the store seals them again when a new sealing key takes over.
package enum SealedKeys: String, Sendable, CaseIterable {
    /// `ApplicationKeys.sealed`, for the 16 bytes of the application key.
    case application = "application keys "
    /// `ActivationSecrets.keys`, `ActivationSecrets.counter` and `DeviceToken.sealedSecret`, for the id of the activation.
    case activation = "activation keys "
    case counter = "activation counter "
    case token = "device token "
    /// `TemporarySecret.sealed`, for the number of its period.
    case temporary = "temporary secret "

    /// The context that a value is authenticated with.
    /// - Parameter id: 16 bytes; of a period 8.
    package func context(of id: [UInt8]) -> [UInt8] { Array(rawValue.utf8) + id }
}
