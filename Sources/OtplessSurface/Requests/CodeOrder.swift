internal import Possession
internal import SurfaceKit

/// The recipient, channels and options of a code or a link.
struct CodeOrder: Sendable {
    var number: String?
    /// The member of the call that names the number.
    var numberField = "phoneNumber"
    var email: String?
    /// Whether the call takes an e-mail address instead of a number.
    var mayBeEmail = false
    /// The channels in the order in which they are tried; `nil`: the server's order.
    var channels: [OtplessChannel]?
    /// The member of the call that names the channels.
    var channelsField = "channels"
    var expirySeconds: Int?
    var codeLength: Int?
    /// The hash of the Android app that reads the message. It becomes the message's last line.
    var appHash: String?
    /// The member of the call that has the hash.
    var hashField = "appHash"
    /// The language of the message.
    var locale: LanguageTag?
    var metadata = SessionMetadata()
    /// The terms of a link in the message; `nil`: the message has a code only.
    var link: LinkTerms?
    /// Whether the caller may ask for the message again.
    var mayBeSentAgain = false
    /// The caller's own name for the request; `nil`: the server makes one.
    var name: RequestName?

    /// The description of the member that has the hash.
    static let hashWords = "Of the Android app: a text message ends with it. The API client must have registered it."

    /// The members of `POST /auth/v1/initiate/otp`.
    static let members = Shape(CodeOrder(mayBeEmail: true)) {
        target
        Member.optional("channels", .channels, "In the order in which they are tried. Else as the server has them.") {
            $0.channels = $1.isEmpty ? nil : $1
        }
        Member.optional("expiry", .expiry(OtplessRules.lifetimes), "Of the code, in seconds. Else 300.") {
            $0.expirySeconds = $1
        }
        Member.optional("otpLength", .codeLength, "Digits. Else 6.") { $0.codeLength = $1 }
        Member.optional("otpHash", .appHash, "Another name of appHash, which counts where both are there.") {
            ($0.appHash, $0.hashField) = ($1, "otpHash")
        }
        Member.optional("appHash", .appHash, hashWords) { ($0.appHash, $0.hashField) = ($1, "appHash") }
        Member.optional("locale", .locale, "Of the message, where the server has a text in it.") { $0.locale = $1 }
        Member.optional("metadata", .metadata, "Comes back in webhooks.") { $0.metadata = $1 }
    }

    @MemberBuilder<Self> static var target: [Member<Self>] {
        Member.optional("phoneNumber", .text(.phoneNumber), "With country code. The plus may be missing.") {
            $0.number = $1
        }
        Member.optional(
            "email", .text(.freeText(254)), "In the place of a number. Refused (7105) where there is no way for e-mail."
        ) { $0.email = $1 }
    }
}
