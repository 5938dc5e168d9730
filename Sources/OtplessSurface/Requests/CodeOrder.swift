internal import SurfaceKit

/// Whom a code is sent to, and how.
struct CodeOrder: Sendable {
    var number: String?
    /// The member that names it.
    var numberField = "phoneNumber"
    var email: String?
    /// Whether the call takes an address in the place of a number.
    var mayBeEmail = false
    /// In the order in which they are tried; `nil`: as the server has them.
    var channels: [OtplessChannel]?
    /// The member that names them.
    var channelsField = "channels"
    var expirySeconds: Int?
    var codeLength: Int?
    /// Whether the caller may ask for the message again.
    var mayBeSentAgain = false
    /// Whether the caller has an id of its own for it.
    var hasForeignID = false

    /// Those of `POST /auth/v1/initiate/otp`.
    static let members = Shape(CodeOrder(mayBeEmail: true)) {
        target
        Member.optional("channels", .channels, "In the order in which they are tried. Else as the server has them.") {
            $0.channels = $1.isEmpty ? nil : $1
        }
        Member.optional("expiry", .expiry(OtplessRules.lifetimes), "Of the code, in seconds. Else 300.") {
            $0.expirySeconds = $1
        }
        Member.optional("otpLength", .codeLength, "Digits. Else 6.") { $0.codeLength = $1 }
        Member.ignored("appHash", .text(.freeText(64)), "No effect.")
        Member.ignored("otpHash", .text(.freeText(64)), "No effect: another name of appHash.")
        Member.ignored("metadata", .metadata, "No effect.")
    }

    @MemberBuilder<Self> private static var target: [Member<Self>] {
        Member.optional("phoneNumber", .text(.phoneNumber), "With country code. The plus may be missing.") {
            $0.number = $1
        }
        Member.optional(
            "email", .text(.freeText(254)), "In the place of a number. Refused (7105) where there is no way for e-mail."
        ) { $0.email = $1 }
    }
}
