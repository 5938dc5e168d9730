internal import CPhoneNumber
internal import Possession

extension NumberKind {
    /// `nil` for a type that has no ranges in the plan.
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
