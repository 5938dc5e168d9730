internal import Possession

/// Wishes of a request whose message has a link, beside the message.
struct LinkTerms: Sendable {
    /// The page that gets the code.
    var page: FinalTargetURL?
    /// The member that names it.
    var pageField = "redirectURI"
    /// The challenge of the verifier that has to come with the code; `nil`: none may come.
    var challenge: CodeChallenge?
    /// Whether a code stands beside the link.
    var hasCode = false
}
