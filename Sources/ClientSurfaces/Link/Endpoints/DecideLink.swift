internal import HTTPServer
internal import Engine
internal import Possession
internal import Text
internal import SurfaceKit

/// `POST /l/{linkToken}`: the person pressed a button on the page.
///
///     decision=approve&matchCode=42  ->  303 Location: https://app.example/done?asc=true&authId=...
///
/// The link is the only credential: a page that can send this form already has the link, so the origin is not checked.
/// Browsers send `Origin: null` here, because the page suppresses the referrer.
struct DecideLink: LinkEndpoint {
    enum Choice: String, CaseIterable { case approve, deny }

    struct Order: Sendable {
        var token = ""
        var decision = Choice.deny
        var matchCode: String?
        var person: PhoneNumber?
    }

    let decide: LinkSurface.Decide
    let addresses: ClientAddress
    let pages: LinkPages

    static let call = Call(
        .post, LinkRequest.path, id: "decideLink", "Approve or deny",
        "The form of the page. A match code that is missing or has another form is asked for again (400).",
        body: .form(#"{"decision":"approve","matchCode":"42"}"#))
    static let parameters = Parameters<Order, LinkError> { LinkRequest.parameter { $0.token = $1 } }

    static let decision = "decision"
    static let matchCode = "matchCode"
    static let person = "person"

    /// Other fields are ignored: a browser's add-on may add some.
    static let body = Shape(Order()) {
        Member.required(decision, choice, "The button that the person has pressed.") { $0.decision = $1 }
        Member.optional(matchCode, .anyText, "The two digits on the other screen.") { $0.matchCode = $1 }
        Member.optional(
            person, number, "In a sandbox: the number of the user that is played, where a link names no person."
        ) {
            $0.person = $1
        }
    }
    private static let choice = Input.anyText.map(orFail: "must be approve or deny") { Choice.spelled($0) }
        .described(as: .choice(Choice.self))

    private static let number = Input.anyText.map(orFail: "must be a number with country code") {
        PhoneNumber(e164: $0)
    }

    func respond(to order: Order, of request: Request, from caller: Nothing) async throws(LinkError) -> Response {
        let decision: LinkDecision =
            switch order.decision {
            case .approve: order.person.map { .play($0) } ?? .approve(matchCode: order.matchCode)
            case .deny: .deny
            }
        do throws(EngineFault) {
            let view = try await decide(order.token, decision, addresses.or(peerOf: request), request.noteSession)
            return pages.response(to: view, of: request)
        } catch {
            throw LinkError(error)
        }
    }
}
