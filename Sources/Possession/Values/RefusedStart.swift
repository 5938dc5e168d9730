/// A call that was to start a session and started none, for a reason that the answer names. It is kept beside sessions, so that
/// the tenant finds it again by the id that it was answered.
package struct RefusedStart: Sendable, Equatable {
    /// That a tenant has of one product. The oldest one makes room for a new one.
    package static let most = 1000

    /// As it was answered. It tells when.
    package let id: CorrelationID
    package let product: ProductName
    package let number: PhoneNumber
    /// In the words of the surface that was called.
    package let reason: String
    /// The caller's own name of the call.
    package let reference: String?
    /// Address of the person, as the caller names it.
    package let address: String?

    package init(
        id: CorrelationID, product: ProductName, number: PhoneNumber, reason: String, reference: String? = nil,
        address: String? = nil
    ) {
        self.id = id
        self.product = product
        self.number = number
        self.reason = reason
        self.reference = reference
        self.address = address
    }
}
