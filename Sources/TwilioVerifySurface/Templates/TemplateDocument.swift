internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// A text of the operator, as callers see it.
struct TemplateDocument: Sendable {
    let sid: SID
    let account: SID
    /// The text's id.
    let name: String
    let texts: CallTemplates
    /// The language for people whose language is unknown.
    let first: LanguageTag

    static let reply = Reply<Self>(name: "Template") {
        ReplyMember.always(
            "sid", .sid(.template), "The value of TemplateSid and DefaultTemplateSid. It follows from friendly_name."
        ) { $0.sid }
        ReplyMember.always("account_sid", .sid(.account), "The account, which is the API client.") { $0.account }
        ReplyMember.always("friendly_name", .text, "The id that the operator has given it.") { $0.name }
        ReplyMember.always("channels", .list(of: .text), "Always sms and voice.") { _ in ["sms", "voice"] }
        ReplyMember.always("translations", .object(Schema(["type": "object"])), "By language.") { $0.translations }
    }

    private var translations: JSONObject {
        var all = JSONObject()
        for (language, template) in texts.texts.sorted(by: {
            $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8)
        }) {
            all[language.text] = .object([
                "is_default_translation": .bool(language == first), "status": "approved",
                "locale": .string(language.text), "text": .string(template.text), "date_created": .null,
                "date_updated": .null,
            ])
        }
        return all
    }
}

/// The texts of the operator. Always one page.
struct TemplatePage: Sendable {
    let templates: [TemplateDocument]
    let place: PageMeta.Place

    static let reply = Reply<Self> {
        ReplyMember.always(
            "templates", .list(of: .object(TemplateDocument.reply)),
            "All texts, or the one of FriendlyName, on one page."
        ) { $0.templates }
        ReplyMember.always(
            "meta", .object(PageMeta.reply("TemplatesMeta", of: "templates")),
            "The place of the page: the list has one page."
        ) { $0.place }
    }
}
