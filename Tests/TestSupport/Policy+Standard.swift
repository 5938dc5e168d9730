package import Possession

extension Policy {
    /// As the server makes it for an order with these values, with its own limits.
    package static func standard(
        _ product: String = "unify", prefill: Prefill? = nil, retries: Bool = false, mayChangeNumber: Bool = false,
        isFoundByNumber: Bool = false,
        limits: Limits = Limits(), _ change: (inout PlatformService.SessionOrder) -> Void = { _ in }
    ) -> Policy {
        var product = Product(ProductName(product)!, number: .optional)
        product.prefill = prefill
        product.isFoundByNumber = isFoundByNumber
        var order = PlatformService.SessionOrder(product, flow: .mobile)
        order.allowOTPRetry = retries
        change(&order)
        return try! Policy(order, order.checks, TenantRules(allowPhoneChange: mayChangeNumber), limits)
    }
}
