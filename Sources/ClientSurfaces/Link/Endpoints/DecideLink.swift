internal import HTTPServer
internal import Possession
internal import Text
internal import SurfaceKit

/// `POST /l/{linkToken}`: the person pressed a button of the page.
///
///     decision=approve&matchCode=42  ->  303 Location: https://app.example/done?asc=true&authId=...
///
/// The link is the only credential: whoever can send this form from elsewhere holds it already, so there is no origin
/// to check (browsers send `Origin: null` here, because the page tells them to name no referrer).
struct DecideLink: Sendable {
    let decide: LinkSurface.Decide
    let addresses: ClientAddress

    static let decision = "decision"
    static let matchCode = "matchCode"

    enum Choice: String, CaseIterable { case approve, deny }

    /// - Throws: `.body`, `.field`, `.overloaded`, `.internalFault`.
    func respond(to request: Request) async throws(LinkError) -> LinkView {
        let decision = try decision(of: request)
        let token = request.parameters[LinkRequest.token] ?? ""
        let address = addresses.or(peerOf: request)
        do throws(EngineFault) { return try await decide(token, decision, address, request.noteSession) } catch {
            throw LinkError(error)
        }
    }

    /// Other fields are ignored: a browser's add-on may send some.
    private func decision(of request: Request) throws(LinkError) -> LinkDecision {
        let form = try form(of: request)
        guard let text = form[Self.decision] else { throw .field(.missing(Self.decision)) }
        switch Choice.spelled(text) {
        case .approve: return .approve(matchCode: form[Self.matchCode])
        case .deny: return .deny
        case nil: throw .field(FieldDefect(Self.decision, "must be approve or deny"))
        }
    }

    private func form(of request: Request) throws(LinkError) -> FormBody {
        do throws(BodyDefect) { try RequestBody.check(request, mediaType: RequestBody.form) } catch {
            throw .body(error)
        }
        do throws(FormBody.Defect) {
            return try FormBody(request.body, known: [Self.decision, Self.matchCode])
        } catch {
            switch error {
            case .tooMany: throw .body(.malformed(reason: "it has too many fields"))
            case .encoding: throw .body(.malformed(reason: "it is not form-encoded UTF-8"))
            case .twice(let name?): throw .field(FieldDefect(name, "is there twice"))
            case .twice(nil): throw .body(.malformed(reason: "a field is there twice"))
            }
        }
    }
}
