internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v1/server/auth/finish`: what the session has come to, by subject. It ends nothing, and may be asked again.
///
///     {"authId":"0193..."}
///     ->  200 {"authId":"0193...","appNamespace":"sandbox","subjects":{"mobile":{"success":{...}}}}
struct FinishAuth: Sendable {
    let service: PlatformService

    /// - Throws: `.body`, `.field`, `.unknownAuthID`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request)
        let authID: String
        do throws(FieldDefect) { authID = try fields.requiredText("authId", .any) } catch { throw .field(error) }
        guard let id = AuthID(authID) else { throw .unknownAuthID }
        do throws(PlatformRefusal) {
            let session = try await service.session(.auth(id), of: .auth, for: tenant.id)
            request.note(session.correlationID)
            return .json(200, AuthResult(session: session, isSandbox: service.hasTestMode).object)
        } catch {
            throw PlatformError(ofAuth: error)
        }
    }
}
