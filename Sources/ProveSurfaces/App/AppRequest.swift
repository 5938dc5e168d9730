internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// What the calls of the app surface read alike. Members nobody asks for are ignored, as on the platform surface.
enum AppRequest {
    /// Without a body they mean `{}`, whatever type is named beside it: mobile HTTP clients name one all the same.
    static func fields(of request: Request) throws(AppError) -> FieldReader {
        if request.body.isEmpty { return FieldReader(JSONObject()) }
        do throws(BodyDefect) { return FieldReader(try RequestBody.object(of: request)) } catch {
            throw .platform(.body(error))
        }
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
