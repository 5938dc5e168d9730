internal import HTTPServer
internal import Possession

/// `POST /v3/unify-status`: what the session has come to. May be repeated.
///
///     {"correlationId":"0193..."}  ->  200 {"success":"true","phoneNumber":"2001004014","proveId":"...","deviceId":"..."}
struct ReadUnifyStatus: Sendable {
    let service: PlatformService

    /// - Throws: `.body`, `.field`, `.unknownCorrelationID`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request)
        let reference: SessionReference
        do throws(FieldDefect) {
            reference = SessionReference(
                correlationID: try fields.requiredText("correlationId", .any),
                clientRequestID: try fields.text("clientRequestId", .reference))
        } catch {
            throw .field(error)
        }
        let id = try reference.id()
        do throws(PlatformRefusal) {
            let session = try await service.session(.correlation(id), of: .unify, for: tenant.id)
            return UnifyResult(session: session, clientRequestID: reference.clientRequestID).response
        } catch {
            throw PlatformError(error)
        }
    }
}
