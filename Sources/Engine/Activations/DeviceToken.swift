package import Possession

/// A token of an activation: a secret with which its phone signs calls in place of the activation's keys.
///
/// It is deleted when its activation is removed, erased or deleted.
package struct DeviceToken: Sendable, Equatable {
    /// Maximum tokens of one activation. A further one replaces the oldest.
    package static let mostOfActivation = 16

    package let id: DeviceTokenID
    package let activationID: ActivationID
    /// The secret of 16 bytes, sealed for the activation (`NewDeviceToken.sealed`).
    package let sealedSecret: [UInt8]
    /// Factors of the signature that created it. Calls signed with the token have the same factors.
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
