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

    /// Whether the caller must say who it takes the person for.
    var needsNames: Bool { question == .names }
}

extension Assurance.Level {
    /// `AL-1` to `AL3` (Prove 7.2).
    var text: String { "AL\(rawValue)" }

    static let texts = allCases.map(\.text)
}

extension Assurance.Reason {
    /// A level and a letter.
    var text: String {
        switch self {
        case .linkedToIdentity: "AL1b"
        case .noData: "AL0b"
        case .poorIdentity: "AL-1a"
        case .scripted(let text): text
        }
    }
}
