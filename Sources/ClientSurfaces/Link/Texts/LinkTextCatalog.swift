internal import BuiltInFiles
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Texts of the pages of a link, in every language of `config/texts.json`: a page has the language of the message with its
/// link.
struct LinkTextCatalog: Sendable {
    /// Each mistake in the texts, with its place.
    struct Mistakes: Error, Equatable {
        let all: [String]
    }

    let all: [LinkTexts]
    private let byLocale: [LanguageTag: LinkTexts]
    private let english: LinkTexts

    /// The texts of the program. They are read once, for the first `LinkPages`, which the start of the server makes.
    static let builtIn: LinkTextCatalog = {
        let path = BuiltInPath.linkPages
        do throws(Mistakes) {
            return try LinkTextCatalog(BuiltInPath.object(in: path))
        } catch { fatalError("\(path): \(error.all.joined(separator: "; "))") }
    }()

    /// - Parameter languages: an object with the texts of each language, by its tag.
    /// - Throws: every text that is missing, empty or too long, every unknown member and tag.
    init(_ languages: JSONObject) throws(Mistakes) {
        var mistakes: [String] = []
        all = languages.members.compactMap { member in
            let name = member.name
            guard let locale = LanguageTag(name), locale.text.isSame(as: name) else {
                mistakes.append("\(MemberReader.shown(name)): is no language tag")
                return nil
            }
            guard var members = MemberReader.reader(of: member.value, at: name, mistakes: &mistakes) else { return nil }
            let texts = LinkTexts(in: locale, &members)
            mistakes += members.allMistakes()
            return texts
        }
        byLocale = Dictionary(all.map { ($0.locale, $0) }) { first, _ in first }
        let english = byLocale[.english]
        if english == nil { mistakes.append("en: is missing") }
        guard let english, mistakes.isEmpty else { throw Mistakes(all: mistakes) }
        self.english = english
    }

    /// As messages are looked up; English where no language fits.
    func find(_ languages: [LanguageTag]) -> LinkTexts {
        LanguageTag.lookUp(languages, in: byLocale)?.value ?? english
    }
}
