/// Labels of sealed values of activations and applications. A value is sealed for its label and id. The cryptography
/// seals with these contexts, and the store seals again when the sealing key changes.
package enum SealedKeys: String, Sendable, CaseIterable {
    /// `ApplicationKeys.sealed`, for the 16 bytes of the application key.
    case application = "application keys "
    /// `ActivationSecrets.keys`, `ActivationSecrets.counter` and `DeviceToken.sealedSecret`, for the id of the activation.
    case activation = "activation keys "
    case counter = "activation counter "
    case token = "device token "
    /// `TemporarySecret.sealed`, for the number of its period.
    case temporary = "temporary secret "

    /// The context with which a value is authenticated.
    /// - Parameter id: 16 bytes; for a period 8.
    package func context(of id: [UInt8]) -> [UInt8] { Array(rawValue.utf8) + id }
}
