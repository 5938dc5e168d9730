/// What a backend wants to know of a number and whoever it belongs to (Prove 7.1).
package enum VerificationType: String, Sendable, CaseIterable {
    case humanAssurance, verifiedUser, accountOpening, prefill, prefillForBiz, identityResolution
    /// The former name of `humanAssurance`.
    case bot

    /// Whether the caller must say who it takes the person for.
    package var needsNames: Bool {
        switch self {
        case .verifiedUser, .accountOpening: true
        case .humanAssurance, .bot, .prefill, .prefillForBiz, .identityResolution: false
        }
    }

    var isOfHuman: Bool { self == .humanAssurance || self == .bot }

    /// Whether the person's data is part of the answer.
    var tellsPerson: Bool { self == .prefill || self == .identityResolution }
}

/// How sure the answer is, with the reasons for it (Prove 7.2).
package struct Assurance: Sendable, Equatable {
    package enum Level: String, Sendable, CaseIterable {
        case untrusted = "AL-1"
        case unknown = "AL0"
        case one = "AL1"
        case two = "AL2"
        case three = "AL3"
    }

    package let level: Level
    /// `AL1b`: a level and a letter.
    package let reasons: [String]

    package init(_ level: Level, _ reasons: [String]) {
        self.level = level
        self.reasons = reasons
    }

    /// Linked to an identity.
    static let linked = Assurance(.one, ["AL1b"])
    /// No data.
    static let noData = Assurance(.unknown, ["AL0b"])
    /// A poor identity.
    static let poor = Assurance(.untrusted, ["AL-1a"])
}

/// What the verifications of a number come to, whatever is asked (`NumberTraits`).
package struct ScriptedVerification: Sendable, Equatable {
    package let passes: Bool
    package let assurance: Assurance

    package init(passes: Bool, assurance: Assurance) {
        self.passes = passes
        self.assurance = assurance
    }
}

/// What a verification found, and what may be told of it.
///
/// - `humanAssurance` passes where somebody is known by the number and its standing is good.
/// - `verifiedUser` and `accountOpening` pass where that person has the names that were given.
/// - `prefill` and `identityResolution` pass where somebody is known; names are compared where there are any. They alone
///   tell the person's data, and nothing of it after a mismatch.
/// - `prefillForBiz` finds nothing: no source of businesses is connected.
///
/// A number with a script passes or fails by it, at its assurance level; names that differ from the person's
/// fail all the same.
package struct VerificationFinding: Sendable, Equatable {
    package let passes: Bool
    package let assurance: Assurance
    /// What may be told of the person.
    package let person: Person?
    /// Why the person was not identified; empty: identified, `nil`: not looked at.
    package let identification: [Reputation.Reason]?
    /// What speaks against the number; empty: nothing, `nil`: not looked at.
    package let risk: [Reputation.Reason]?
    /// Whether the names that were given are the record's; `nil`: none were compared.
    let namesAgree: Bool?

    private init(
        passes: Bool, _ assurance: Assurance, person: Person? = nil, identification: [Reputation.Reason]? = nil,
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
        _ type: VerificationType, _ names: SubmittedPerson, person: Person?, standing: Reputation?,
        script: ScriptedVerification?
    ) {
        if let script, !script.passes {
            self = .failure(script, of: type, standing)
        } else if type.isOfHuman {
            self = .human(person: person, standing: standing, script: script)
        } else if person == nil || type == .prefillForBiz, script == nil {
            self.init(passes: false, .noData, identification: [.identityNotFound])
        } else if let person, person.differences(from: names).contains(.name) {
            self.init(passes: false, .noData, identification: [.nameMismatch], namesAgree: false)
        } else {
            let areCompared = person != nil && (names.firstName != nil || names.lastName != nil)
            self.init(
                passes: true, script?.assurance ?? .linked, person: type.tellsPerson ? person : nil, identification: [],
                namesAgree: areCompared ? true : nil)
        }
    }

    private static func human(person: Person?, standing: Reputation?, script: ScriptedVerification?) -> Self {
        if let standing, !standing.passes {
            return Self(passes: false, .poor, risk: standing.failureReasons)
        }
        guard person != nil || script != nil else {
            return Self(passes: false, .noData, identification: [.identityNotFound])
        }
        return Self(passes: true, script?.assurance ?? .linked, risk: standing.map { _ in [] })
    }

    private static func failure(
        _ script: ScriptedVerification, of type: VerificationType, _ standing: Reputation?
    ) -> Self {
        if let standing, !standing.passes {
            return Self(passes: false, script.assurance, risk: standing.failureReasons)
        }
        return Self(passes: false, script.assurance, identification: [.identityNotConfirmed])
    }
}
