internal import Possession

/// `verificationType` (Prove 7.1).
enum VerificationType: String, CaseIterable {
    case humanAssurance, verifiedUser, accountOpening, prefill, prefillForBiz, identityResolution
    /// The former name of `humanAssurance`.
    case bot

    var question: VerificationQuestion {
        switch self {
        case .humanAssurance, .bot: .human
        case .verifiedUser, .accountOpening: .names
        case .prefill, .identityResolution: .record
        case .prefillForBiz: .business
        }
    }
}
