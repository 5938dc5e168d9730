/// A token of an activation: a secret that its phone signs calls with in place of the activation's keys.
///
/// It goes when its activation is removed, erased or forgotten.
package struct DeviceToken: Sendable, Equatable {
    /// Tokens of one activation. With one more, the oldest goes.
    package static let mostOfActivation = 16

    package let id: DeviceTokenID
    package let activationID: ActivationID
    /// The secret of 16 bytes, sealed for the activation (`NewDeviceToken.sealed`).
    package let sealedSecret: [UInt8]
    /// Factors of the signature that made it: a call that it signs has the same.
    package let factors: SignatureFactors
    package let createdAt: Timestamp

    package init(
        id: DeviceTokenID, activationID: ActivationID, sealedSecret: [UInt8], factors: SignatureFactors,
        createdAt: Timestamp
    ) {
        self.id = id
        self.activationID = activationID
        self.sealedSecret = sealedSecret
        self.factors = factors
        self.createdAt = createdAt
    }
}
