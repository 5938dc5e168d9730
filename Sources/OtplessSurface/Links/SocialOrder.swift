internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The providers that a caller may name.
enum SocialChannel: String, Sendable, CaseIterable {
    case whatsapp = "WHATSAPP"
    case gmail = "GMAIL"
    case appleEmail = "APPLE_EMAIL"
    case facebook = "FACEBOOK"
    case twitter = "TWITTER"
    case discord = "DISCORD"
    case slack = "SLACK"
    case linkedIn = "LINKEDIN"
    case microsoft = "MICROSOFT"
    case line = "LINE"
    case linear = "LINEAR"
    case notion = "NOTION"
    case twitch = "TWITCH"
    case gitHub = "GITHUB"
    case bitbucket = "BITBUCKET"
    case atlassian = "ATLASSIAN"
    case gitLab = "GITLAB"
    case trueCaller = "TRUE_CALLER"
    case googleSDK = "GOOGLE_SDK"
    case facebookSDK = "FACEBOOK_SDK"
    case appleSDK = "APPLE_SDK"
}

/// A request to identify a person by a provider.
struct SocialOrder: Sendable {
    var page: FinalTargetURL?
    var expirySeconds: Int?
}

extension Input where Value == [SocialChannel] {
    /// At least one provider. The sandbox plays all of them with the same page.
    static var providers: Input {
        Input<[String]>.list(of: .freeText(16), most: SocialChannel.allCases.count)
            .map(orFail: "must be a list of providers, such as GMAIL or GITHUB") { texts in
                let known = texts.compactMap { text in SocialChannel.allCases.first { $0.rawValue.isSame(as: text) } }
                return known.isEmpty || known.count != texts.count ? nil : known
            }
            .described(as: Schema.list(of: .choice(SocialChannel.self)).with("minItems", 1))
    }
}
