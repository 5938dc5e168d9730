internal import Possession

/// The caller's options for the link in a message.
struct LinkTerms: Sendable {
    /// The page that gets the code.
    var page: FinalTargetURL?
    /// The member of the call that names the page.
    var pageField = "redirectURI"
    /// The challenge of the verifier that must come with the code; `nil`: no verifier may come.
    var challenge: CodeChallenge?
    /// Whether the message also has a code.
    var hasCode = false
}
