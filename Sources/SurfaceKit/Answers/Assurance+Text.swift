package import Possession

extension Assurance.Level {
    /// `AL-1` to `AL3` (Prove 7.2).
    package var text: String { "AL\(rawValue)" }

    package static let texts = allCases.map(\.text)
}

extension Assurance.Reason {
    /// A level and a letter.
    package var text: String {
        switch self {
        case .linkedToIdentity: "AL1b"
        case .noData: "AL0b"
        case .poorIdentity: "AL-1a"
        case .scripted(let text): text
        }
    }
}
