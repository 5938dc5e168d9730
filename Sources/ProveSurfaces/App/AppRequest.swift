internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// What the calls of the app surface read alike. Members nobody asks for are ignored, as on the platform surface.
enum AppRequest {
    /// What the steps after the first may refuse.
    static let refusals: [AppError] = [
        .noFlow, .unknownFlow, .endedFlow, .platform(.stepNotAllowed), .platform(.sourceUnavailable),
    ]

    /// `credential` has read it before the other members are.
    static func authID<Body>() -> Member<Body> {
        .ignored("authId", .sessionID, "Has to name the same run; alone it opens one where app.acceptAuthId is set.")
    }

    /// The flow token, from `Authorization: Bearer` or else the cookie, and `authId` beside it. A page that brings neither
    /// means its newest run, where `runs` knows one.
    /// - Throws: `.unknownFlow` for credentials in another form; nobody has such. `.noFlow` where there are none.
    static func credential(
        _ request: Request, _ fields: FieldReader, _ runs: OriginRuns?
    ) throws(AppError) -> AppService.FlowCredential {
        var credential = AppService.FlowCredential()
        credential.noteRun = request.noteSession
        switch request.headers.count("authorization") {
        case 0: credential.flowToken = FlowCookie.token(in: request)
        case 1:
            guard let value = request.headers.bytes("authorization"),
                let token = Credentials(value).token(of: "bearer")
            else { throw .unknownFlow }
            credential.flowToken = token
        default: throw .unknownFlow
        }
        let text: String?
        do throws(FieldDefect) { text = try fields.text("authId", .any) } catch {
            throw .platform(.field(error))
        }
        if let text {
            guard let id = AuthID(text) else { throw .unknownFlow }
            credential.authID = id
        }
        if credential.flowToken == nil, credential.authID == nil {
            guard let token = runs?.flowToken(for: request) else { throw .noFlow }
            credential.flowToken = token
        }
        return credential
    }
}
