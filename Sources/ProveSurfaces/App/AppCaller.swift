internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// The caller of an endpoint on the app surface.
protocol AppCaller: Sendable {
    /// Its scheme in the API description.
    static var scheme: CallerScheme? { get }

    /// - Parameters:
    ///   - fields: the members of the body, which may name the run.
    ///   - runs: finds the run of a page that names none.
    init(_ request: Request, _ fields: FieldReader, _ runs: OriginRuns?) throws(AppError)

    /// The run that the caller names, which may not exist; `nil`: the call begins one.
    func sessionKey(_ engine: Engine) -> SessionKey?
}

/// Needs no credentials: the call starts a run.
extension Nothing: AppCaller {
    static var scheme: CallerScheme? { nil }

    init(_ request: Request, _ fields: FieldReader, _ runs: OriginRuns?) throws(AppError) { self.init() }

    func sessionKey(_ engine: Engine) -> SessionKey? { nil }
}

/// The flow token, from `Authorization: Bearer` or otherwise the cookie, and `authId` in addition. A page that sends
/// neither means its newest run, if `runs` knows one.
extension AppService.FlowCredential: AppCaller {
    static var scheme: CallerScheme? { .flowToken }

    /// - Throws: `.unknownFlow` for credentials in another form, which the server never issues. `.noFlow` if there are
    ///   none.
    init(_ request: Request, _ fields: FieldReader, _ runs: OriginRuns?) throws(AppError) {
        self.init()
        noteRun = request.noteSession
        switch request.headers.count("authorization") {
        case 0: flowToken = FlowCookie.token(in: request)
        case 1:
            guard let value = request.headers.bytes("authorization"),
                let token = Credentials(value).token(of: "bearer")
            else { throw .unknownFlow }
            flowToken = token
        default: throw .unknownFlow
        }
        let text: String?
        do throws(FieldDefect) { text = try fields.text("authId", .any) } catch {
            throw .platform(.field(error))
        }
        if let text {
            guard let id = AuthID(text) else { throw .unknownFlow }
            authID = id
        }
        if flowToken == nil, authID == nil {
            guard let token = runs?.flowToken(for: request) else { throw .noFlow }
            flowToken = token
        }
    }

    func sessionKey(_ engine: Engine) -> SessionKey? {
        flowToken.map { .flow(engine.crypto.keyed.flow($0)) } ?? authID.map { .auth($0) }
    }
}
