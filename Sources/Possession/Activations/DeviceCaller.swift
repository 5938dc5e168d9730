/// Says who calls: an app of an application, or one activation of it.
package struct DeviceCaller: Sendable {
    package let application: ApplicationKeys
    /// `nil`: the call is an app's that has no activation, or needs none.
    package let activation: CallingActivation?

    package init(_ application: ApplicationKeys, activation: CallingActivation? = nil) {
        self.application = application
        self.activation = activation
    }
}

/// An activation as a caller names it.
package struct CallingActivation: Sendable {
    package let id: ActivationID
    /// The id as the caller wrote it. Case does not matter for whom it names, and does for what is authenticated.
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
