/// Settings that a product fixes for every session its calls start. A surface has one value for each product of its
/// wire format. A `Policy` is made from the product, the server's limits and the order.
package struct Product: Sendable, Equatable {
    /// When a session may start without a number.
    package enum NumberNeed: Sendable {
        /// A number is always optional: the client may name it.
        case optional
        /// If Mobile Auth can find the number.
        case orMobileAuth
        /// If Mobile Auth can find the number, or the order names the person.
        case orMobileAuthOrPerson
    }

    package let name: ProductName
    package var numberNeed: NumberNeed
    package var prefill: Policy.Prefill?
    /// The product of sessions whose number needs no challenge; `nil`: the same product.
    package var nameWithoutChallenge: ProductName?
    /// Whether the number's standing is always requested, if a source is configured.
    package var asksReputation = false
    package var bindsPendingKeysOnly = false
    package var asksOperatorOfKnownNumber = false
    package var isFoundByNumber = false
    package var isAnsweredElsewhere = false

    package init(_ name: ProductName, number need: NumberNeed) {
        self.name = name
        numberNeed = need
    }
}
