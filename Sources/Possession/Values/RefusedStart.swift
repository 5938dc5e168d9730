/// A call that should have started a session and was refused for a reason in the response. It is stored beside
/// sessions, so that the tenant finds it by the id in the response.
package struct RefusedStart: Sendable, Equatable {
    /// Maximum for a tenant and product. A new one replaces the oldest.
    package static let most = 1000

    /// The id in the response. It contains the time.
    package let id: CorrelationID
    package let product: ProductName
    package let number: PhoneNumber
    /// In the words of the surface.
    package let reason: String
    /// The caller's own reference for the call.
    package let reference: String?
    /// Address of the person, as named by the caller.
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
