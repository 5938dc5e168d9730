/// Settings that the calls of one product fix for every session they start. A surface has one value for each product of its
/// wire format; `Policy` is made of it, the server's limits and the order.
package struct Product: Sendable, Equatable {
    /// When a session may start without a number.
    package enum NumberNeed: Sendable {
        /// Always: the client may name it.
        case optional
        /// Where Mobile Auth can find it.
        case orMobileAuth
        /// Where Mobile Auth can find it, or the order names the person.
        case orMobileAuthOrPerson
    }

    package let name: ProductName
    package var numberNeed: NumberNeed
    package var prefill: Policy.Prefill?
    /// The product of those sessions whose number has no challenge; `nil`: the same.
    package var nameWithoutChallenge: ProductName?
    /// Whether the number's standing is always asked for, where there is a source of it.
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
