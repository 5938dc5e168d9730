internal import Possession
internal import StrictJSON

/// Reads the texts of one language. A member of the JSON has the name of its property. The reader notes what is missing.
extension LinkTexts {
    init(in locale: LanguageTag, _ members: inout MemberReader) {
        self.locale = locale
        asking = members.part("asking") { Asking(&$0) }
        code = members.part("code") { Code(&$0) }
        played = members.part("played") { Played(&$0) }
        endings = members.part("endings") { Endings(&$0) }
    }
}

extension LinkTexts.Asking {
    fileprivate init(_ members: inout MemberReader) {
        title = members.text("title")
        heading = members.text("heading")
        someApp = members.text("someApp")
        startedIn = members.text("startedIn")
        browserOn = members.text("browserOn")
        unknownBrowser = members.text("unknownBrowser")
        asked = members.text("asked")
        answerBy = members.text("answerBy")
        question = members.text("question")
        warning = members.text("warning")
        warningHere = members.text("warningHere")
        approve = members.text("approve")
        goOn = members.text("goOn")
        deny = members.text("deny")
    }
}

extension LinkTexts.Code {
    fileprivate init(_ members: inout MemberReader) {
        label = members.text("label")
        help = members.text("help")
        mistake = members.text("mistake")
        error = members.text("error")
    }
}

extension LinkTexts.Played {
    fileprivate init(_ members: inout MemberReader) {
        signInAs = members.text("signInAs")
        explanation = members.text("explanation")
    }
}

extension LinkTexts.Endings {
    fileprivate init(_ members: inout MemberReader) {
        superseded = members.notice("superseded")
        unknown = members.notice("unknown")
        approved = members.notice("approved")
        opensByItself = members.text("opensByItself")
        denied = members.notice("denied")
        expired = members.notice("expired")
        used = members.notice("used")
        failed = members.notice("failed")
        notUnderstood = members.notice("notUnderstood")
        tooMany = members.notice("tooMany")
        busy = members.notice("busy")
        fault = members.notice("fault")
        openAgain = members.text("openAgain")
        goBack = members.text("goBack")
    }
}

extension MemberReader {
    private static let maxTextBytes = 1024

    fileprivate mutating func text(_ name: String) -> String {
        text(name, maxBytes: Self.maxTextBytes, required: true) ?? ""
    }

    fileprivate mutating func notice(_ name: String) -> LinkTexts.Notice {
        part(name) { LinkTexts.Notice(heading: $0.text("heading"), text: $0.text("text")) }
    }

    /// The value that `read` makes of an object. Each text of an object that is missing is missing.
    fileprivate mutating func part<Part>(_ name: String, _ read: (inout MemberReader) -> Part) -> Part {
        var members = MemberReader(value(name)?.object ?? JSONObject(), at: path(name))
        let part = read(&members)
        adopt(members.allMistakes())
        return part
    }
}
