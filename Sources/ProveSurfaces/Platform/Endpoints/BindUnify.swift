internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /v3/unify-bind`: the tenant has checked possession itself and vouches for the number.
///
///     {"correlationId":"0193...","phoneNumber":"2001004014"}  ->  200 {"success":"true","phoneNumber":"2001004014", ...}
///
/// A wrong number answers `"false"` and costs one of three tries.
struct BindUnify: Sendable {
    let service: PlatformService

    /// - Throws: `.body`, `.field`, `.unknownCorrelationID`, `.stepNotAllowed`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try PlatformBody.reader(of: request)
        let reference: SessionReference
        let phoneNumber: String
        do throws(FieldDefect) {
            let correlationID = try fields.requiredText("correlationId", .any)
            phoneNumber = try fields.requiredText("phoneNumber", .phoneNumber)
            reference = SessionReference(
                correlationID: correlationID,
                clientRequestID: try fields.text("clientRequestId", .reference))
        } catch {
            throw .field(error)
        }
        let id = try reference.id(of: request)
        let result: PlatformService.BindResult
        do throws(PlatformRefusal) {
            result = try await service.bind(
                .correlation(id), of: .unify, to: phoneNumber, for: tenant.id)
        } catch {
            throw PlatformError(error)
        }
        switch result {
        case .bound(let session):
            return UnifyResult(session: session, clientRequestID: reference.clientRequestID, sentNumber: phoneNumber)
                .response
        case .refused(let session):
            let answer = UnifyResult(
                session: session, clientRequestID: reference.clientRequestID, sentNumber: phoneNumber, isRefusal: true)
            return answer.response
        }
    }
}
