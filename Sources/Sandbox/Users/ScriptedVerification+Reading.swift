internal import Possession
internal import StrictJSON

extension ScriptedVerification {
    private enum Limit {
        static let reasons = 8
    }

    /// Reads the result of verifications of a sandbox user.
    ///
    ///     {"success": true, "assuranceLevel": "AL1", "reasons": ["AL1a"]}
    static func read(_ name: String, in parent: inout MemberReader) -> ScriptedVerification? {
        guard let value = parent.value(name) else { return nil }
        guard let object = value.object else {
            parent.note(name, "must be an object")
            return nil
        }
        var reader = MemberReader(object, at: parent.path(name))
        let passes = reader.value("success", required: true)
        if let passes, passes.bool == nil { reader.note("success", "must be true or false") }
        let level = reader.choice("assuranceLevel", of: AssuranceLevel.allCases)?.level
        var reasons: [Assurance.Reason] = []
        for (place, value) in reader.list("reasons", maxCount: Limit.reasons) {
            guard let reason = value.string, isReason(reason) else {
                reader.adopt(["\(place): must be a level and a letter, such as AL1a"])
                continue
            }
            reasons.append(.scripted(reason))
        }
        parent.adopt(reader.allMistakes())
        guard let passes = passes?.bool, let level else { return nil }
        return ScriptedVerification(passes: passes, assurance: Assurance(level, reasons))
    }

    /// In the form of the documentation (Prove section 7.2).
    private static func isReason(_ text: String) -> Bool {
        AssuranceLevel.allCases.contains { level in
            guard text.hasPrefix(level.rawValue) else { return false }
            let rest = Array(text.utf8.dropFirst(level.rawValue.utf8.count))
            return rest.count == 1 && (97...122).contains(rest[0])
        }
    }
}

/// The levels in the form of the users file.
private enum AssuranceLevel: String, CaseIterable {
    case untrusted = "AL-1"
    case unknown = "AL0"
    case one = "AL1"
    case two = "AL2"
    case three = "AL3"

    var level: Assurance.Level {
        switch self {
        case .untrusted: .untrusted
        case .unknown: .unknown
        case .one: .one
        case .two: .two
        case .three: .three
        }
    }
}
