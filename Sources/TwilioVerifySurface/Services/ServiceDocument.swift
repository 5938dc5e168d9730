internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The one service of an API client, as callers see it.
struct ServiceDocument: Sendable {
    let caller: AccountSIDs
    /// The name in the messages of the API client.
    let friendlyName: String
    let createdAt: Timestamp
    let url: String

    init(of caller: TwilioCaller, publicURL: String) {
        self.caller = caller.sids
        friendlyName = caller.tenant.rules.displayName ?? caller.tenant.id.text
        createdAt = caller.tenant.createdAt
        url = "\(publicURL)\(TwilioPath.services)/\(caller.sids.service.text)"
    }

    static let reply = Reply<Self>(name: "Service", example: example) {
        ReplyMember.always("sid", .sid(.service)) { $0.caller.service }
        ReplyMember.always("account_sid", .sid(.account)) { $0.caller.account }
        ReplyMember.always("friendly_name", .text, "The API client's displayName, or its id.") { $0.friendlyName }
        ReplyMember.always("code_length", .integer(4...10), "Digits of a code.") { _ in VerificationRules.codeLength }
        ReplyMember.fixed("lookup_enabled", false)
        ReplyMember.fixed("psd2_enabled", false)
        ReplyMember.fixed("skip_sms_to_landlines", false)
        ReplyMember.fixed("dtmf_input_required", false)
        ReplyMember.null("tts_name")
        ReplyMember.fixed("do_not_share_warning_enabled", false)
        ReplyMember.fixed("custom_code_enabled", true)
        ReplyMember.empty("push")
        ReplyMember.empty("totp")
        ReplyMember.null("default_template_sid")
        ReplyMember.empty("whatsapp")
        ReplyMember.empty("passkeys")
        ReplyMember.fixed("verify_event_subscription_enabled", false)
        ReplyMember.always("date_created", .moment, "When the API client was added.") { $0.createdAt }
        ReplyMember.always("date_updated", .moment) { $0.createdAt }
        ReplyMember.always("url", .text(.text(format: "uri"))) { $0.url }
        ReplyMember.always("links", .object(links)) { $0.url }
    }

    private static let links = Reply<String>(name: "ServiceLinks") {
        ReplyMember.always("verifications", .text(.text(format: "uri"))) { "\($0)/Verifications" }
        ReplyMember.always("verification_checks", .text(.text(format: "uri"))) { "\($0)/VerificationCheck" }
    }

    private static let example: StaticString = """
        {"sid":"VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e","account_sid":"AC0123456789abcdef0123456789abcdef",\
        "friendly_name":"sandbox","code_length":6,"lookup_enabled":false,"psd2_enabled":false,\
        "skip_sms_to_landlines":false,"dtmf_input_required":false,"tts_name":null,\
        "do_not_share_warning_enabled":false,"custom_code_enabled":true,"push":{},"totp":{},\
        "default_template_sid":null,"whatsapp":{},"passkeys":{},"verify_event_subscription_enabled":false,\
        "date_created":"2026-01-01T10:00:00Z","date_updated":"2026-01-01T10:00:00Z",\
        "url":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e",\
        "links":{"verifications":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e/Verifications",\
        "verification_checks":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e/VerificationCheck"}}
        """
}
