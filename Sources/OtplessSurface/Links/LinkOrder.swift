internal import SurfaceKit

/// The members of calls that send a link.
extension CodeOrder {
    @MemberBuilder<Self> static var linkMembers: [Member<Self>] {
        target
        Member.optional(
            "channels", .channels,
            "In the order in which they are tried. Else as the server has them. VOICE_CALL is refused (7103)."
        ) { $0.channels = $1.isEmpty ? nil : $1 }
        Member.required(
            "redirectURI", .redirect,
            "The page that gets the code, as a member of its query. Its host must be one that the API client has registered."
        ) { $0.link?.page = $1 }
        Member.optional("expiry", .expiry(OtplessRules.lifetimes), "Of the link, in seconds. Else 300.") {
            $0.expirySeconds = $1
        }
        Member.optional("metadata", .metadata, "Comes back in webhooks.") { $0.metadata = $1 }
    }
}
