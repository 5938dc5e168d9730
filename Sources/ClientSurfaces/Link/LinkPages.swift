internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// Views and errors as responses: status, header fields and page side by side.
struct LinkPages: Sendable {
    let policy: PagePolicy

    private static let retryAfterSeconds = 1

    func response(to view: LinkView) -> Response {
        switch view {
        case .open(let invitation):
            page(200, InvitationPage(invitation).document, hasForm: true)
        case .askAgain(let invitation):
            page(400, InvitationPage(invitation, asksAgain: true).document, hasForm: true)
        case .ended(let ending): ended(ending)
        case .superseded: page(410, ClosingPage.superseded.document)
        case .unknown: page(404, ClosingPage.unknown.document)
        }
    }

    func response(to error: LinkError) -> Response {
        var response = page(error.status, ClosingPage(error).document)
        switch error {
        case .rateLimited(let hit): response.add("Retry-After", String(hit.retryAfterSeconds))
        case .overloaded: response.add("Retry-After", String(Self.retryAfterSeconds))
        case .body, .field, .internalFault: break
        }
        return response
    }

    private func ended(_ ending: LinkEnding) -> Response {
        guard let target = LinkTarget(ending.target) else {
            return page(ending.reason == .expired ? 410 : 200, ClosingPage(ending.reason).document)
        }
        // 303: the browser goes on with GET, whatever brought it here. The page is for phones that do not open the app
        // upon a redirect.
        var response = page(303, ClosingPage(ending.reason, target: target).document)
        response.add("Location", target.text)
        return response
    }

    private func page(_ status: Int, _ document: HTML, hasForm: Bool = false) -> Response {
        Response(status: status, headers: policy.headers(hasForm: hasForm), body: Array(document.text.utf8))
    }
}
