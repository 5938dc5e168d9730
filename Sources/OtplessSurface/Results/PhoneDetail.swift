internal import Engine
internal import Possession
internal import SurfaceKit

/// Facts about a number from the numbering plan.
struct PhoneDetail: Sendable {
    /// The country code without the plus.
    let countryCode: String
    /// ISO 3166-1; `nil`: the plan has no country for the number.
    let country: String?
    /// `nil`: the plan does not know the type.
    let type: String?

    init(_ number: PhoneNumber, _ numbers: any NumberDirectory) {
        countryCode = number.callingCode
        country = numbers.region(of: number)
        type = numbers.kind(of: number).map { $0.otplessWord }
    }

    static let output = Output<PhoneDetail>.object(reply)

    static let reply = Reply<PhoneDetail> {
        ReplyMember.always("countryCode", .text, "Without the plus.") { $0.countryCode }
        ReplyMember.whenThere("country", .text, "ISO 3166-1.") { $0.country }
        ReplyMember.whenThere("type", .text, "Such as MOBILE.") { $0.type }
    }
}

extension NumberKind {
    /// The type as the numbering plan's own library spells it.
    fileprivate var otplessWord: String {
        switch self {
        case .fixedLine: "FIXED_LINE"
        case .mobile: "MOBILE"
        case .fixedLineOrMobile: "FIXED_LINE_OR_MOBILE"
        case .tollFree: "TOLL_FREE"
        case .premiumRate: "PREMIUM_RATE"
        case .sharedCost: "SHARED_COST"
        case .voiceOverIP: "VOIP"
        case .personal: "PERSONAL_NUMBER"
        case .pager: "PAGER"
        case .company: "UAN"
        case .voicemail: "VOICEMAIL"
        }
    }
}
