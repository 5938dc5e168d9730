/// View of an instant link for its holder: the state of the link, without anything of the person.
package enum LinkView: Sendable, Equatable {
    /// Nobody has decided yet.
    case open(LinkInvitation)
    /// The page to ask again: the match code was missing or no two digits. Nothing was decided.
    case askAgain(LinkInvitation)
    /// The session has ended, or this link can do nothing more: where the phone goes.
    case ended(LinkEnding)
    /// A newer link was sent; only that one counts.
    case superseded(languages: [LanguageTag] = [])
    /// No session of ours.
    case unknown

    /// As of `LinkInvitation`.
    package var languages: [LanguageTag] {
        switch self {
        case .open(let invitation), .askAgain(let invitation): invitation.languages
        case .ended(let ending): ending.languages
        case .superseded(let languages): languages
        case .unknown: []
        }
    }
}

/// Request behind a link: who asks, and what the person must answer.
package struct LinkInvitation: Sendable, Equatable {
    /// As messages name the tenant: its display name, else the server's brand; `nil` without either.
    package let requester: String?
    /// When the link was asked for.
    package let requestedAt: Timestamp
    /// The browser that waits, such as `Firefox on Linux`; `nil` when it did not say.
    package let browser: String?
    /// The person must type the two digits that the waiting page shows.
    package let needsMatchCode: Bool
    /// The person who approves goes on in the browser that shows the link.
    package let goesOnHere: Bool
    /// People that the holder may play, where the session names nobody; empty: it names somebody, or nobody is played here.
    package let people: [PlayedPerson]
    package let expiresAt: Timestamp
    /// Those of the session's messages, the best first; empty: nobody has said any.
    package let languages: [LanguageTag]

    package init(
        requester: String?, requestedAt: Timestamp, browser: String?, needsMatchCode: Bool, goesOnHere: Bool = false,
        people: [PlayedPerson] = [], expiresAt: Timestamp, languages: [LanguageTag] = []
    ) {
        self.requester = requester
        self.requestedAt = requestedAt
        self.browser = browser
        self.needsMatchCode = needsMatchCode
        self.goesOnHere = goesOnHere
        self.people = people
        self.expiresAt = expiresAt
        self.languages = languages
    }
}

package struct LinkEnding: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        case approved, denied, expired, failed
        /// Its code was redeemed, or the session has succeeded otherwise.
        case used
    }

    package let reason: Reason
    /// `finalTargetUrl` with `asc` and `authId`, or with the code that was given; `nil`: the phone gets a closing page.
    package let target: String?
    /// As of `LinkInvitation`.
    package let languages: [LanguageTag]

    package init(reason: Reason, target: String?, languages: [LanguageTag] = []) {
        self.reason = reason
        self.target = target
        self.languages = languages
    }
}

/// Answer of the person.
package enum LinkDecision: Sendable, Equatable {
    /// `matchCode`: as typed; `nil` when the form had none.
    case approve(matchCode: String?)
    /// The holder plays this person, of a session that names nobody.
    case play(PhoneNumber)
    case deny
}
