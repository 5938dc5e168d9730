internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v3/identity/{proveId}`: one identity of the tenant, active or not.
///
///     ->  200 {"phoneNumber":"+12001004031","proveId":"0193...","active":true,"createdAt":1767261600, ...}
struct ReadIdentity: PlatformEndpoint {
    let manager: IdentityManager

    static let call = Call(.get, "/v3/identity/{proveId}", id: "readIdentity", "Read an identity", "Active or not.")
    static let body = Shape(HolderID(high: 0, low: 0))
    static let parameters = Parameters<HolderID, PlatformError> {
        ParameterMember.requestID
        ParameterMember.identity("proveId", "It names an identity of the caller; else 404, 8010.")
    }
    static let reply = IdentityReplies.record

    func respond(to id: HolderID, of request: Request, from tenant: Tenant) async throws(PlatformRefusal) -> Identity {
        try await manager.identity(id, for: tenant)
    }
}
