internal import Possession
internal import SurfaceKit

/// Texts of the pages of a link, in one language.
///
/// `{name}`, `{browser}`, `{system}`, `{deny}`, `{continue}` and `{goBack}` are filled in.
struct LinkTexts: Sendable {
    /// The page that asks.
    struct Asking: Sendable {
        let title, heading: String
        /// Stands for the name of an API client that has none.
        let someApp: String
        let startedIn, browserOn, unknownBrowser: String
        let asked, answerBy: String
        let question: String
        /// The effect of an approval; `warningHere` for a person who goes on in this browser.
        let warning, warningHere: String
        let approve, goOn, deny: String
    }

    /// The input of the match code. `error` stands before what is wrong.
    struct Code: Sendable {
        let label, help, mistake, error: String
    }

    /// In a sandbox, where a person is played.
    struct Played: Sendable {
        let signInAs, explanation: String
    }

    struct Notice: Sendable {
        let heading, text: String
    }

    /// The pages with nothing left to decide.
    struct Endings: Sendable {
        let superseded, unknown, approved: Notice
        /// The text of `approved` where the phone goes on.
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

    // MARK: Filling in

    /// A text with its places filled; one that has no value stays empty.
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
