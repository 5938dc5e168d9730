package import Possession

extension LimitName {
    /// Whether it counts messages to a number or to similar numbers. These limits give the same answer: a difference
    /// would reveal other callers' use of nearby numbers (OTP-12).
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
