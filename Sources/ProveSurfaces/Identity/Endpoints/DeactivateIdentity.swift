internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/identity/{proveId}/deactivate`: hides an identity from lists and linked tenants. Repeating it is not an
/// error; enrolling again does not change the state.
///
///     ->  200 {"success":true}
struct DeactivateIdentity: PlatformEndpoint {
    let manager: IdentityManager

    static let call = Call(
        .post, "/v3/identity/{proveId}/deactivate", id: "deactivateIdentity", "Deactivate an identity",
        ActivateIdentity.detail, body: .optionalJSON(#"{"clientRequestId":"r-1"}"#))
    static let body = ActivateIdentity.body
    static let parameters = ActivateIdentity.parameters
    static let isAudited = true
    static let reply = Reply.done

    func respond(to id: HolderID, of request: Request, from tenant: Tenant) async throws(PlatformRefusal) -> Nothing {
        try await manager.setActive(false, id, for: tenant)
        return Nothing()
    }
}
