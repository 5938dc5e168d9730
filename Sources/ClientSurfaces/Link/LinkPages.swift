internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Turns views and errors into responses: status, header fields and page.
struct LinkPages: Sendable {
    let policy: PagePolicy
    /// Takes a line for the log.
    let report: @Sendable (String) -> Void
    private let catalog = LinkTextCatalog.builtIn

    /// Every call returns one of these pages; the pages for ended links have the statuses in `endings`.
    static let reply = ResponseReply<Response>([
        Answer(status: 200, about: "A page: the question, or how it ended.", content: .page),
        Answer(status: 303, about: "To the final target.", content: .page, headers: ["Location"]),
    ])

    /// The statuses of an unknown link and of an expired link.
    static let endings = [404, 410]

    func response(to view: LinkView, of request: Request) -> Response {
        let texts = catalog.find(view.languages + Self.languages(of: request))
        switch view {
        case .open(let invitation): return question(200, InvitationPage(invitation, in: texts), texts)
        case .askAgain(let invitation):
            return question(400, InvitationPage(invitation, asksAgain: true, in: texts), texts)
        case .ended(let ending):
            if ending.target != nil, LinkTarget(ending.target) == nil {
                report("request \(request.id): a final target that is no web address")
            }
            return ended(ending, texts)
        case .superseded: return closing(410, ClosingPage.superseded(in: texts), texts)
        case .unknown: return closing(404, ClosingPage.unknown(in: texts), texts)
        }
    }

    /// - Parameter request: `nil`: its language is unknown.
    func response(to error: LinkError, of request: Request? = nil) -> Response {
        let texts = catalog.find(request.map(Self.languages) ?? [])
        let bare = error.response
        var response = closing(bare.status, ClosingPage(error, in: texts), texts)
        response.headers += bare.headers
        return response
    }

    private static func languages(of request: Request) -> [LanguageTag] { request.languages?.tags ?? [] }

    private func question(_ status: Int, _ page: InvitationPage, _ texts: LinkTexts) -> Response {
        policy.response(status, page.document, hasForm: true, showsTimes: true, language: texts.locale)
    }

    private func closing(_ status: Int, _ page: ClosingPage, _ texts: LinkTexts) -> Response {
        policy.response(status, page.document, language: texts.locale)
    }

    private func ended(_ ending: LinkEnding, _ texts: LinkTexts) -> Response {
        guard let target = LinkTarget(ending.target) else {
            let isOver = ending.reason == .expired || ending.reason == .used
            return closing(isOver ? 410 : 200, ClosingPage(ending.reason, in: texts), texts)
        }
        // 303: the browser continues with GET, whatever its method was. The page is for phones that do not open the app
        // on a redirect.
        var response = closing(303, ClosingPage(ending.reason, target: target, in: texts), texts)
        response.add("Location", target.text)
        return response
    }
}
