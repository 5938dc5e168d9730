internal import Possession
internal import SurfaceKit

/// Texts of a link's pages, in one language. Every language of `config/texts.json` is here, so that the page has the
/// same language as the message that led to it.
///
/// `{name}`, `{browser}`, `{system}`, `{deny}`, `{continue}` and `{goBack}` are replaced by values.
struct LinkTexts: Sendable {
    /// The page with the question.
    struct Asking: Sendable {
        let title, heading: String
        /// Used for an API client without a name.
        let someApp: String
        let startedIn, browserOn, unknownBrowser: String
        let asked, answerBy: String
        let question: String
        /// The effect of an approval; `warningHere` for a person who continues in this browser.
        let warning, warningHere: String
        let approve, goOn, deny: String
    }

    /// The input of the match code. `error` is shown before the reason.
    struct Code: Sendable {
        let label, help, mistake, error: String
    }

    /// For a sandbox, where the person chooses a test person.
    struct Played: Sendable {
        let signInAs, explanation: String
    }

    struct Notice: Sendable {
        let heading, text: String

        init(_ heading: String, _ text: String) {
            self.heading = heading
            self.text = text
        }
    }

    /// The pages without a decision.
    struct Endings: Sendable {
        let superseded, unknown, approved: Notice
        /// The text of `approved` if the phone is redirected.
        let opensByItself: String
        let denied, expired, used, failed: Notice
        let notUnderstood, tooMany, busy, fault: Notice
        let openAgain, goBack: String
    }

    let locale: LanguageTag
    let asking: Asking
    let code: Code
    let played: Played
    let endings: Endings

    static let all = [
        english, german, dutch, swedish, french, spanish, portuguese, portugueseOfPortugal, italian, polish, russian,
        ukrainian, turkish, arabic, hindi, indonesian, vietnamese, japanese, korean, chinese, traditionalChinese,
    ]

    private static let byLocale = Dictionary(all.map { ($0.locale, $0) }) { first, _ in first }

    /// Looked up in the same way as for messages; English if no language fits.
    static func find(_ languages: [LanguageTag]) -> LinkTexts {
        LanguageTag.lookUp(languages, in: byLocale)?.value ?? english
    }

    // MARK: Placeholders

    /// A text with its placeholders replaced; one without a value becomes empty.
    func filled(_ text: String, _ values: [(place: String, value: HTML)] = []) -> HTML {
        let labels: [(place: String, value: HTML)] = [
            ("deny", "\(asking.deny)"), ("continue", "\(asking.goOn)"), ("goBack", "\(endings.goBack)"),
        ]
        return Self.fill(text, values + labels)
    }

    private static func fill(_ text: String, _ values: [(place: String, value: HTML)]) -> HTML {
        var filled = HTML.empty
        var rest = text.utf8[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")),
            let close = rest[open...].firstIndex(of: UInt8(ascii: "}"))
        {
            let place = rest[rest.index(after: open)..<close]
            let value = values.first { $0.place.utf8.elementsEqual(place) }?.value ?? .empty
            filled = "\(filled)\(String(Substring(rest[..<open])))\(value)"
            rest = rest[rest.index(after: close)...]
        }
        return "\(filled)\(String(Substring(rest)))"
    }
}
