internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /v3/unify-status`: what the session has come to. May be repeated.
///
///     {"correlationId":"0193..."}  ->  200 {"success":"true","phoneNumber":"2001004014","proveId":"...","deviceId":"..."}
struct ReadUnifyStatus: Sendable {
    private let service: PlatformService
    private let engine: Engine
    /// `nil` where looks are not limited (sandbox, contract section 8).
    private let polls: SessionPolls?

    init(service: PlatformService, engine: Engine) {
        self.service = service
        self.engine = engine
        polls = engine.limits.overSessions == nil ? nil : SessionPolls()
    }

    /// - Throws: `.body`, `.field`, `.unknownCorrelationID`, `.rateLimited`, `.overloaded`, `.internalFault`.
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
        let id = try reference.id(of: request)
        do throws(PlatformRefusal) {
            let session = try await service.session(.correlation(id), of: .unify, for: tenant.id)
            // Only once it is known to be the tenant's: what others ask for counts nothing.
            if let hit = polls?.take(id, at: engine.now()) {
                engine.noteLimit(hit.limit, nil)
                throw PlatformRefusal.rateLimited(hit)
            }
            return UnifyResult(session: session, clientRequestID: reference.clientRequestID).response
        } catch {
            throw PlatformError(error)
        }
    }
}
