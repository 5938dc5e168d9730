internal import CPhoneNumber

/// What a number is for, as far as the numbering plan tells. Rules about cost and risk look at it (OTP-16).
package enum NumberKind: Sendable, CaseIterable {
    case fixedLine
    case mobile
    /// The plan does not tell them apart, as in North America.
    case fixedLineOrMobile
    case tollFree
    /// The caller pays more than for a call.
    case premiumRate
    case sharedCost
    case voiceOverIP
    /// Follows a person to whatever line they choose.
    case personal
    case pager
    /// A company's number, put through to one of its lines ("universal access number").
    case company
    case voicemail

    /// `nil` for a type that no range of the plan has.
    init?(libraryType: Int32) {
        switch Int(libraryType) {
        case CPHONENUMBER_FIXED_LINE: self = .fixedLine
        case CPHONENUMBER_MOBILE: self = .mobile
        case CPHONENUMBER_FIXED_LINE_OR_MOBILE: self = .fixedLineOrMobile
        case CPHONENUMBER_TOLL_FREE: self = .tollFree
        case CPHONENUMBER_PREMIUM_RATE: self = .premiumRate
        case CPHONENUMBER_SHARED_COST: self = .sharedCost
        case CPHONENUMBER_VOIP: self = .voiceOverIP
        case CPHONENUMBER_PERSONAL: self = .personal
        case CPHONENUMBER_PAGER: self = .pager
        case CPHONENUMBER_UAN: self = .company
        case CPHONENUMBER_VOICEMAIL: self = .voicemail
        default: return nil
        }
    }
}
