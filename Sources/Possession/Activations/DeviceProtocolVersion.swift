/// Versions of the protocol. The caller's header names the version; it is not negotiated.
package enum DeviceProtocolVersion: String, Sendable, CaseIterable {
    /// Encrypts with a key that lives as long as the application or the activation.
    case v32 = "3.2"
    /// Encrypts with a temporary key, which the app fetches first.
    case v33 = "3.3"
}
