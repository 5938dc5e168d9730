package import Text

/// Which operator a device can be sent to.
package protocol MobileOperators: Sendable {
    /// The operator of the network the address belongs to; `nil`: none that is known, or its circuit is open.
    func serving(address: IPAddress?) -> (any MobileOperator)?
    /// The operator that takes tokens of this network; `nil`: none does. Its circuit may be open.
    func takingTokens(of network: PLMN) -> (any MobileOperator)?
    /// The one operator that takes tokens, for callers that do not say of which network one is; `nil`: none does, or
    /// several do.
    var onlyOneTakingTokens: (any MobileOperator)? { get }
    /// By its name, for the return hop.
    func named(_ name: String) -> (any MobileOperator)?
}
