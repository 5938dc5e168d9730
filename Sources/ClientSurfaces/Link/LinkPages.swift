internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// Views and errors as responses: status, header fields and page side by side.
struct LinkPages: Sendable {
    let policy: PagePolicy
    /// Takes a line for the log.
    let report: @Sendable (String) -> Void

    /// Every call answers one of these pages; those that have ended otherwise are `endings`.
    static let reply = ResponseReply<Response>([
        Answer(status: 200, about: "A page: the question, or how it ended.", content: .page),
        Answer(status: 303, about: "To the final target.", content: .page, headers: ["Location"]),
    ])

    /// The statuses of a link that is not known, and of one whose time is over.
    static let endings = [404, 410]

    func response(to view: LinkView, of request: Request) -> Response {
        switch view {
        case .open(let invitation):
            return policy.response(200, InvitationPage(invitation).document, hasForm: true)
        case .askAgain(let invitation):
            return policy.response(400, InvitationPage(invitation, asksAgain: true).document, hasForm: true)
        case .ended(let ending):
            if ending.target != nil, LinkTarget(ending.target) == nil {
                report("request \(request.id): a final target that is no web address")
            }
            return ended(ending)
        case .superseded: return policy.response(410, ClosingPage.superseded.document)
        case .unknown: return policy.response(404, ClosingPage.unknown.document)
        }
    }

    func response(to error: LinkError) -> Response {
        let bare = error.response
        var response = policy.response(bare.status, ClosingPage(error).document)
        response.headers += bare.headers
        return response
    }

    private func ended(_ ending: LinkEnding) -> Response {
        guard let target = LinkTarget(ending.target) else {
            let isOver = ending.reason == .expired || ending.reason == .used
            return policy.response(isOver ? 410 : 200, ClosingPage(ending.reason).document)
        }
        // 303: the browser goes on with GET, whatever brought it here. The page is for phones that do not open the app
        // upon a redirect.
        var response = policy.response(303, ClosingPage(ending.reason, target: target).document)
        response.add("Location", target.text)
        return response
    }
}
