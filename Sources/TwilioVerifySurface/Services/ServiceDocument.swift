internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// A service of an API client, as callers see it.
struct ServiceDocument: Sendable {
    let brand: Brand
    let caller: AccountSIDs
    /// The service's name in messages.
    let friendlyName: String
    /// The text for messages that do not name one.
    let template: SID?
    let url: String

    init(of caller: TwilioCaller, _ templates: Templates, publicURL: String) {
        brand = caller.brand
        self.caller = caller.sids
        friendlyName = caller.brand.name ?? caller.tenant.rules.displayName ?? caller.tenant.id.text
        template = caller.brand.template.map { templates.sid(of: $0) }
        url = "\(publicURL)\(TwilioPath.services)/\(caller.sids.service.text)"
    }

    static let reply = Reply<Self>(name: "Service", example: example) {
        ReplyMember.always("sid", .sid(.service), "Names the service in paths.") { $0.caller.service }
        ReplyMember.always("account_sid", .sid(.account), "The account, which is the API client.") { $0.caller.account }
        ReplyMember.always(
            "friendly_name", .text,
            "The name in messages. Of the first service the API client's displayName, or its id."
        ) { $0.friendlyName }
        ReplyMember.always("code_length", .integer(4...10), "Digits of a code.") { $0.brand.codeLength }
        wish("lookup_enabled", .lookup)
        ReplyMember.fixed("psd2_enabled", false, "Always false: a code is not bound to a payment.")
        wish("skip_sms_to_landlines", .skipLandlines)
        ReplyMember.fixed("dtmf_input_required", false, "Always false: a call asks for no key.")
        ReplyMember.null("tts_name", "Always null: the gateway decides the voice of a call.")
        wish("do_not_share_warning_enabled", .warning)
        ReplyMember.always(
            "custom_code_enabled", .flag,
            "A verification may have a CustomCode. true for the first service until a call changes it."
        ) { $0.brand.takesOwnCodes }
        ReplyMember.empty("push", "Always empty: this server has no push factors.")
        ReplyMember.empty("totp", "Always empty: this server has no TOTP factors.")
        ReplyMember.always(
            "default_template_sid", .textOrNull, "The text of messages that name none. null: the server's usual text."
        ) { $0.template?.text }
        ReplyMember.empty("whatsapp", "Always empty: a service has no settings of WhatsApp.")
        ReplyMember.empty("passkeys", "Always empty: this server has no passkeys.")
        ReplyMember.fixed(
            "verify_event_subscription_enabled", false, "Always false: the webhooks of the API client report events.")
        ReplyMember.always(
            "date_created", .moment,
            "When the service was added, UTC. For the first service, when the API client was added."
        ) { $0.brand.createdAt }
        ReplyMember.always("date_updated", .moment, "When the service was added or last changed, UTC.") {
            $0.brand.changedAt
        }
        ReplyMember.always("url", .text(.text(format: "uri")), "The URL that reads the service.") { $0.url }
        ReplyMember.always("links", .object(links), "The URLs of calls on the service.") { $0.url }
    }

    private static func wish(_ name: String, _ wish: ServiceWish) -> ReplyMember<Self> {
        .always(name, .flag, "As it was sent. It has no effect.") { wish.isKept(in: $0.brand.switches) }
    }

    private static let links = Reply<String>(name: "ServiceLinks") {
        ReplyMember.always("verifications", .text(.text(format: "uri")), "The URL that begins a verification.") {
            "\($0)/Verifications"
        }
        ReplyMember.always("verification_checks", .text(.text(format: "uri")), "The URL that checks a code.") {
            "\($0)/VerificationCheck"
        }
        ReplyMember.always("rate_limits", .text(.text(format: "uri")), "The URL of its rate limits.") {
            "\($0)/RateLimits"
        }
    }

    static let example: StaticString = """
        {"sid":"VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e","account_sid":"AC0123456789abcdef0123456789abcdef",\
        "friendly_name":"Shop","code_length":6,"lookup_enabled":false,"psd2_enabled":false,\
        "skip_sms_to_landlines":false,"dtmf_input_required":false,"tts_name":null,\
        "do_not_share_warning_enabled":false,"custom_code_enabled":true,"push":{},"totp":{},\
        "default_template_sid":null,"whatsapp":{},"passkeys":{},"verify_event_subscription_enabled":false,\
        "date_created":"2026-01-01T10:00:00Z","date_updated":"2026-01-01T10:00:00Z",\
        "url":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e",\
        "links":{"verifications":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e/Verifications",\
        "verification_checks":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e/VerificationCheck",\
        "rate_limits":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e/RateLimits"}}
        """
}
