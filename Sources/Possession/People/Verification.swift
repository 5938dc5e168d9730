/// A backend's question about a number and its person or business.
package enum VerificationQuestion: Sendable, CaseIterable {
    /// Whether it belongs to a person.
    case human
    /// Whether that person has the given names.
    case names
    /// The known data of that person.
    case record
    /// The known data of its business.
    case business
}

/// Certainty of the answer, with the reasons for it.
package struct Assurance: Sendable, Equatable {
    /// From an untrusted identity to the highest assurance.
    package enum Level: Int, Sendable, CaseIterable {
        case untrusted = -1
        case unknown, one, two, three
    }

    package enum Reason: Sendable, Equatable {
        case linkedToIdentity, noData, poorIdentity
        /// Reason from a script, in its own words.
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

/// Fixed result for all verifications of a number, whatever the question (`NumberTraits`).
package struct ScriptedVerification: Sendable, Equatable {
    package let passes: Bool
    package let assurance: Assurance

    package init(passes: Bool, assurance: Assurance) {
        self.passes = passes
        self.assurance = assurance
    }
}

/// Result of a verification, and the data that may be returned.
///
/// - `human` passes if a person is known for the number and its standing is good.
/// - `names` passes if that person has the given names.
/// - `record` passes if a person is known; names are compared if any are given. Only this question returns the person's
///   data, and none of it after a mismatch.
/// - `business` finds nothing: no source of businesses is connected.
///
/// A number with a script passes or fails by it, at its assurance level; but it fails if given names differ from the
/// person's.
package struct VerificationFinding: Sendable, Equatable {
    package let passes: Bool
    package let assurance: Assurance
    /// Data of the person that may be returned.
    package let person: Person?
    /// Why the person was not identified; empty: identified, `nil`: not checked.
    package let identification: [IdentityFinding.Reason]?
    /// Reasons against the number; empty: there are none, `nil`: not checked, or the standing is unknown.
    package let risk: [Reputation.Reason]?
    /// Whether the given names are those of the record; `nil`: no names were compared.
    package let namesAgree: Bool?

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
