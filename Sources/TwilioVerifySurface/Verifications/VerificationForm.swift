internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The form of a call that begins a verification, or sends another code in one.
struct VerificationForm: Sendable {
    var to = ""
    var channel = VerificationChannel.sms
    var locale: LanguageTag?
    /// A code that the backend has made.
    var customCode: OTP?
    /// The address of the person's device.
    var deviceIP: IPAddress?
    /// The name in the message; `nil`: the service's.
    var friendlyName: String?
    /// The text of the message; `nil`: the service's.
    var template: SID?
    /// The values for the text's placeholders.
    var substitutions: [NamedText]?
    /// The values that the call counts towards, by the names of rate limits.
    var rateLimits: [NamedText] = []
    /// The first member that asks for a feature that this server does not have. Ignoring it would break what the caller
    /// relies on, so the call is refused.
    private(set) var refusal: TwilioError?

    /// The number of digits of the code.
    func codeLength(for brand: Brand) -> Int { customCode?.text.utf8.count ?? brand.codeLength }

    private mutating func refuse(_ error: TwilioError) {
        refusal = refusal ?? error
    }

    /// The vendor's members, in the order of its description. Unknown members are ignored, as the vendor does.
    static let members = Shape(
        VerificationForm(),
        check: { (order) throws(FieldDefect) in
            guard let name = order.friendlyName, let defect = Brand.defect(ofName: name) else { return }
            throw FieldDefect("CustomFriendlyName", defect)
        }
    ) {
        Member.required("To", .target, "The number, in E.164.") { $0.to = $1 }
        Member.required(
            "Channel", .choice(VerificationChannel.allCases),
            "sms, call or whatsapp. The others are known, and refused (60223)."
        ) { $0.channel = $1 }
        Member.optional("Locale", .locale, "The language of the message.") { $0.locale = $1 }
        Member.optional("CustomCode", .code, "A code that the backend has made.") { $0.customCode = $1 }
        Member.optional("DeviceIp", .addressHint(), "Of the person's device: messages are limited by it.") {
            $0.deviceIP = $1
        }
        Member.optional(
            "CustomFriendlyName", .text(.freeText(64)),
            "The name in the message, in the place of the service's. Fixed by the first call."
        ) { $0.friendlyName = $1 }
        Member.optional(
            "RateLimits", .texts(Quota.most, mostBytes: Quota.mostValueBytes),
            "Names of rate limits of the service, each with the value that the message counts for."
        ) { $0.rateLimits = $1 }
        Member.optional("TemplateSid", .sid(.template), "A text of the operator. Fixed by the first call.") {
            $0.template = $1
        }
        Member.optional(
            "TemplateCustomSubstitutions", .texts(50, mostBytes: 1024), "The values of the text's places."
        ) { $0.substitutions = $1 }
        withoutEffect
        refused
    }

    /// Members that are checked but have no effect: the message is sent without them, and proves the same.
    @MemberBuilder<Self> private static var withoutEffect: [Member<Self>] {
        Member.ignored("AppHash", .text(.freeText(64)), "No effect.")
        Member.ignored(
            "RiskCheck", .choice(RiskCheck.allCases), "No effect: the spend guard stays as the operator has it.")
        Member.ignored("EnableSnaClientToken", .formFlag, "No effect: of the channel sna.")
        Member.ignored("ChannelConfiguration", .jsonText, "No effect: of the channel email.")
        Member.ignored("Tags", .tags, "No effect: at most 10, of at most 128 characters each.")
    }

    private enum RiskCheck: String, CaseIterable { case enable, disable }

    @MemberBuilder<Self> private static var refused: [Member<Self>] {
        Member.optional("CustomMessage", .anyText, "Refused: texts are the operator's.") { order, _ in
            order.refuse(.featureOff("CustomMessage"))
        }
        Member.optional("Amount", .anyText, "Refused: a code is not bound to a payment.") { order, _ in
            order.refuse(.featureOff("PSD2"))
        }
        Member.optional("Payee", .anyText, "Refused, as Amount.") { order, _ in order.refuse(.featureOff("PSD2")) }
        Member.optional("SendDigits", .anyText, "Refused: calls do not dial an extension.") { order, _ in
            order.refuse(.parameter(FieldDefect("SendDigits", "is not supported by this server")))
        }
    }

    /// Refusals caused by the channel, the country and the members of `refused`, for the API description.
    static let refusals: [TwilioError] = [
        .featureOff("CustomMessage"), .channelDisabled, .countryClosed, .landline, .blocked,
    ]
}

extension Input where Value == JSONObject {
    /// At most 10 tags, each of at most 128 characters.
    fileprivate static var tags: Input {
        let longest = TextRule.freeText(128)
        return jsonText.map(orFail: "must be a JSON object of at most 10 texts of at most 128 characters") { tags in
            let fits = tags.members.allSatisfy { tag in
                longest.defect(of: tag.name) == nil && tag.value.string.map { longest.defect(of: $0) == nil } ?? false
            }
            return tags.count <= 10 && fits ? tags : nil
        }
    }
}
