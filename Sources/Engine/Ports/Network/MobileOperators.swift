package import Possession
package import Text

/// Finds the operator for a device.
package protocol MobileOperators: Sendable {
    /// The operator of the address's network; `nil`: none is known, or its circuit is open.
    func serving(address: IPAddress?) -> (any MobileOperator)?
    /// The operator that accepts tokens of this network, or `nil`. Its circuit may be open.
    func takingTokens(of network: PLMN) -> (any MobileOperator)?
    /// The operator that accepts tokens, for callers that do not name a network; `nil`: no operator or several accept
    /// tokens.
    var onlyOneTakingTokens: (any MobileOperator)? { get }
    /// The operator with this name, for the return hop.
    func named(_ name: String) -> (any MobileOperator)?
}
