package import Possession

/// State of an instant link for its holder, without personal data.
package enum LinkView: Sendable, Equatable {
    /// The link is not decided yet.
    case open(LinkInvitation)
    /// The page asks again: the match code was missing or not two digits. Nothing was decided.
    case askAgain(LinkInvitation)
    /// The session has ended, or this link can do nothing more. It says where the phone goes.
    case ended(LinkEnding)
    /// A newer link was sent, and only that one is valid.
    case superseded(languages: [LanguageTag] = [])
    /// No session of this server has this link.
    case unknown

    /// See `LinkInvitation.languages`.
    package var languages: [LanguageTag] {
        switch self {
        case .open(let invitation), .askAgain(let invitation): invitation.languages
        case .ended(let ending): ending.languages
        case .superseded(let languages): languages
        case .unknown: []
        }
    }
}

/// The request behind a link: who requests it, and what the person must answer.
package struct LinkInvitation: Sendable, Equatable {
    /// The tenant's name as in messages: its display name, else the server's brand; `nil` without either.
    package let requester: String?
    /// When the link was requested.
    package let requestedAt: Timestamp
    /// The waiting browser, such as `Firefox on Linux`; `nil` if it is unknown.
    package let browser: String?
    /// The person must type the two digits that the waiting page shows.
    package let needsMatchCode: Bool
    /// The person continues in the browser that shows the link.
    package let goesOnHere: Bool
    /// People whom the holder may choose if the session names none (sandbox). Otherwise empty.
    package let people: [SandboxPerson]
    package let expiresAt: Timestamp
    /// The languages of the session's messages, the best first; empty: none is known.
    package let languages: [LanguageTag]

    package init(
        requester: String?, requestedAt: Timestamp, browser: String?, needsMatchCode: Bool, goesOnHere: Bool = false,
        people: [SandboxPerson] = [], expiresAt: Timestamp, languages: [LanguageTag] = []
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
