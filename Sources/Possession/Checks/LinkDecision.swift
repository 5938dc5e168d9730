package struct LinkEnding: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        case approved, denied, expired, failed
        /// Its code was redeemed, or the session has succeeded in another way.
        case used
    }

    package let reason: Reason
    /// `finalTargetUrl` with `asc` and `authId`, or with the link's code; `nil`: the phone gets a closing page.
    package let target: String?
    /// See `LinkInvitation.languages`.
    package let languages: [LanguageTag]

    package init(reason: Reason, target: String?, languages: [LanguageTag] = []) {
        self.reason = reason
        self.target = target
        self.languages = languages
    }
}

/// The holder's decision.
package enum LinkDecision: Sendable, Equatable {
    /// `matchCode`: as typed; `nil` if the form had no such field.
    case approve(matchCode: String?)
    /// The holder chooses this person, in a session that names none (sandbox).
    case play(PhoneNumber)
    case deny
}
