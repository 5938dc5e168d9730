internal import Possession

/// What a request whose message has a link asks for beside the message.
struct LinkTerms: Sendable {
    /// The page that gets the code.
    var page: FinalTargetURL?
    /// The member that names it.
    var pageField = "redirectURI"
    /// Of the verifier that has to come with the code; `nil`: none may come.
    var challenge: CodeChallenge?
    /// Whether a code stands beside the link.
    var hasCode = false
}
