package import Possession

/// The caller: an app of an application, or one of its activations.
package struct DeviceCaller: Sendable {
    package let application: ApplicationKeys
    /// `nil`: the app has no activation, or the call needs none.
    package let activation: CallingActivation?

    package init(_ application: ApplicationKeys, activation: CallingActivation? = nil) {
        self.application = application
        self.activation = activation
    }
}

/// An activation as a caller names it.
package struct CallingActivation: Sendable {
    package let id: ActivationID
    /// The id as the caller wrote it. Case does not matter for finding the activation, but it does for authenticated
    /// data.
    package let sentID: String
    package let secrets: ActivationSecrets

    /// `nil` unless the text is an id.
    package init?(sentID: String, secrets: ActivationSecrets) {
        guard let id = ActivationID(sentID) else { return nil }
        self.id = id
        self.sentID = sentID
        self.secrets = secrets
    }
}
