/// Question of a backend about a number and the person or business it belongs to.
package enum VerificationQuestion: Sendable, CaseIterable {
    /// Whether a person is behind it.
    case human
    /// Whether that person has the names that were given.
    case names
    /// Data that is known of that person.
    case record
    /// Data that is known of a business behind it.
    case business
}

/// How sure the answer is, with the reasons for it.
package struct Assurance: Sendable, Equatable {
    /// From a poor identity to the highest assurance.
    package enum Level: Int, Sendable, CaseIterable {
        case untrusted = -1
        case unknown, one, two, three
    }

    package enum Reason: Sendable, Equatable {
        case linkedToIdentity, noData, poorIdentity
        /// Reason that a script gives, in its own words.
        case scripted(String)
    }

    package let level: Level
    package let reasons: [Reason]

    package init(_ level: Level, _ reasons: [Reason]) {
        self.level = level
        self.reasons = reasons
    }

    static let linked = Assurance(.one, [.linkedToIdentity])
    static let noData = Assurance(.unknown, [.noData])
    static let poor = Assurance(.untrusted, [.poorIdentity])
}

/// Result of all verifications of a number, whatever is asked (`NumberTraits`).
package struct ScriptedVerification: Sendable, Equatable {
    package let passes: Bool
    package let assurance: Assurance

    package init(passes: Bool, assurance: Assurance) {
        self.passes = passes
        self.assurance = assurance
    }
}

/// Result of a verification, and the data that may be told of it.
///
/// - `human` passes where somebody is known by the number and its standing is good.
/// - `names` passes where that person has the names that were given.
/// - `record` passes where somebody is known; names are compared where there are any. It alone tells the person's data, and
///   nothing of it after a mismatch.
/// - `business` finds nothing: no source of businesses is connected.
///
/// A number with a script passes or fails by it, at its assurance level; names that differ from the person's
/// fail all the same.
package struct VerificationFinding: Sendable, Equatable {
    package let passes: Bool
    package let assurance: Assurance
    /// Data of the person that may be told.
    package let person: Person?
    /// Why the person was not identified; empty: identified, `nil`: not looked at.
    package let identification: [IdentityFinding.Reason]?
    /// Reasons that speak against the number; empty: none, `nil`: not looked at, or nobody could tell.
    package let risk: [Reputation.Reason]?
    /// Whether the names that were given are the record's; `nil`: none were compared.
    let namesAgree: Bool?

    private init(
        passes: Bool, _ assurance: Assurance, person: Person? = nil, identification: [IdentityFinding.Reason]? = nil,
        risk: [Reputation.Reason]? = nil, namesAgree: Bool? = nil
    ) {
        self.passes = passes
        self.assurance = assurance
        self.person = person
        self.identification = identification
        self.risk = risk
        self.namesAgree = namesAgree
    }

    package init(
        _ question: VerificationQuestion, _ names: SubmittedPerson, person: Person?, standing: Reputation?,
        script: ScriptedVerification?
    ) {
        if let script, !script.passes {
            self = .failure(script, standing)
        } else if question == .human {
            self = .human(person: person, standing: standing, script: script)
        } else if person == nil || question == .business, script == nil {
            self.init(passes: false, .noData, identification: [.notFound])
        } else if let person, person.differences(from: names).contains(.name) {
            self.init(passes: false, .noData, identification: [.name], namesAgree: false)
        } else {
            let areCompared = person != nil && (names.firstName != nil || names.lastName != nil)
            self.init(
                passes: true, script?.assurance ?? .linked, person: question == .record ? person : nil,
                identification: [],
                namesAgree: areCompared ? true : nil)
        }
    }

    private static func human(person: Person?, standing: Reputation?, script: ScriptedVerification?) -> Self {
        if let standing, !standing.passes {
            return Self(passes: false, .poor, risk: standing.failureReasons)
        }
        guard person != nil || script != nil else {
            return Self(passes: false, .noData, identification: [.notFound])
        }
        return Self(passes: true, script?.assurance ?? .linked, risk: standing.flatMap { $0.doubts.isEmpty ? [] : nil })
    }

    private static func failure(_ script: ScriptedVerification, _ standing: Reputation?) -> Self {
        if let standing, !standing.passes {
            return Self(passes: false, script.assurance, risk: standing.failureReasons)
        }
        return Self(passes: false, script.assurance, identification: [.notConfirmed])
    }
}
