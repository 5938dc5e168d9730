internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of the older server API.
protocol AuthEndpoint: PlatformEndpoint {}

extension AuthEndpoint {
    static func response(to error: PlatformError) -> Response { error.authResponse }
    static func error(of refusal: PlatformRefusal) -> PlatformError { PlatformError(ofAuth: refusal) }

    /// - Throws: `.unknownSession` for an ID in a form that the server never issues.
    static func id(_ text: String) throws(PlatformRefusal) -> AuthID {
        guard let id = AuthID(text) else { throw .unknownSession }
        return id
    }
}

extension Member where Body == String {
    /// The session of the call.
    static var authID: Member {
        Member.required("authId", .sessionID, "The answer of start has it. An unknown one answers 8008.") { $0 = $1 }
    }
}
