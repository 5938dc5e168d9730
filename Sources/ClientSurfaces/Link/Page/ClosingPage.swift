internal import Possession
internal import SurfaceKit

/// A page without a decision: the outcome, and what the person can do now.
struct ClosingPage: Sendable {
    private let texts: LinkTexts
    private let mark: PageFrame.Mark
    private let heading: String
    private let text: String
    /// Shown below the text, small and in English, for the support staff.
    private var detail: String?
    private var button: (label: String, address: String)?

    private init(_ mark: PageFrame.Mark, _ notice: LinkTexts.Notice, in texts: LinkTexts, text: String? = nil) {
        self.texts = texts
        self.mark = mark
        heading = notice.heading
        self.text = text ?? notice.text
    }

    static func superseded(in texts: LinkTexts) -> ClosingPage {
        ClosingPage(.clock, texts.endings.superseded, in: texts)
    }

    static func unknown(in texts: LinkTexts) -> ClosingPage { ClosingPage(.stop, texts.endings.unknown, in: texts) }

    /// - Parameter target: the URL to which the phone is redirected, if any.
    init(_ reason: LinkEnding.Reason, target: LinkTarget? = nil, in texts: LinkTexts) {
        let endings = texts.endings
        switch reason {
        case .approved:
            self.init(
                .success, endings.approved, in: texts, text: target == nil ? nil : endings.opensByItself)
        case .denied: self.init(.stop, endings.denied, in: texts)
        case .expired: self.init(.clock, endings.expired, in: texts)
        case .used: self.init(.success, endings.used, in: texts)
        case .failed: self.init(.stop, endings.failed, in: texts)
        }
        if let target { button = (texts.asking.goOn, target.text) }
    }

    init(_ error: LinkError, in texts: LinkTexts) {
        let endings = texts.endings
        switch error {
        case .body, .field: self.init(.stop, endings.notUnderstood, in: texts)
        case .rateLimited: self.init(.clock, endings.tooMany, in: texts)
        case .overloaded: self.init(.clock, endings.busy, in: texts)
        case .internalFault: self.init(.stop, endings.fault, in: texts)
        }
        detail = error.detail
        // An empty URL is the page itself, loaded with GET.
        button = (endings.openAgain, "")
    }

    var document: HTML {
        PageFrame(
            title: "\(heading)", mark: mark, heading: "\(heading)",
            content: """
                <p>\(texts.filled(text))</p>
                \(detail.map { "<p class=\"help\" lang=\"en\" dir=\"ltr\">\($0)</p>" } ?? .empty)
                \(link)
                """, language: texts.locale
        ).document
    }

    private var link: HTML {
        guard let button else { return .empty }
        return "<p class=\"next\"><a class=\"button\" href=\"\(button.address)\">\(button.label)</a></p>"
    }
}
