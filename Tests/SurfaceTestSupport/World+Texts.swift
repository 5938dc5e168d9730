import Possession
import Text

extension World {
    /// Words of codes and links in three languages.
    static let texts: MessageTexts = {
        let entries = ["en", "de", "pt-BR"].flatMap { locale in
            [
                MessageCatalog.Entry(
                    purpose: .code, channel: .sms, locales: [LanguageTag(locale)!],
                    text: try! MessageText("\(locale) {code} {brand}", for: .code, over: .sms)),
                MessageCatalog.Entry(
                    purpose: .link, channel: .sms, locales: [LanguageTag(locale)!],
                    text: try! MessageText("\(locale) {link}", for: .link, over: .sms)),
            ]
        }
        return MessageTexts(
            catalog: try! MessageCatalog(defaultLocale: .english, entries: entries), brand: "Example")
    }()
}
