internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/identity/{proveId}/activate`: shows an identity to lists and linked tenants again. Repeating it is not an
/// error; enrolling again does not change the state.
///
///     ->  200 {"success":true}
struct ActivateIdentity: PlatformEndpoint {
    let manager: IdentityManager

    static let call = Call(
        .post, "/v3/identity/{proveId}/activate", id: "activateIdentity", "Activate an identity", detail,
        body: .optionalJSON(#"{"clientRequestId":"r-1"}"#))
    static let body = Shape(HolderID(high: 0, low: 0)) { Member.requestID }
    static let parameters = Parameters<HolderID, PlatformError> {
        ParameterMember.identity("proveId", "It names an identity of the caller; else 404, 8010.")
    }
    static let isAudited = true
    static let reply = Reply.done

    /// Also used by `deactivate`.
    static let detail =
        "Lists leave inactive ones out, and linked domains do not see them. What is so already is no error."

    func respond(to id: HolderID, of request: Request, from tenant: Tenant) async throws(PlatformRefusal) -> Nothing {
        try await manager.setActive(true, id, for: tenant)
        return Nothing()
    }
}
