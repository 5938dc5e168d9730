package import Possession

extension LimitName {
    /// Whether it counts messages to a number or to numbers like it. They answer alike: which of them stopped
    /// a message would tell what others did with numbers nearby (OTP-12).
    package var isOfNumber: Bool {
        switch self {
        case .sendsPerNumber, .sendsPerNetworkInPrefix, .prefixClosed, .sendsPerCountry: true
        default: false
        }
    }

    /// Whether it limits what messages cost.
    package var isBudget: Bool {
        switch self {
        case .budget, .budgetPerTenant, .budgetPerCountry: true
        default: false
        }
    }
}
