internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /v3/identity/{mobileNumber}/lookup`: the tenant's identity of a number, active or not. There is at most one.
///
///     /v3/identity/%2B12001004031/lookup  ->  200 {"items":[{"phoneNumber":"+12001004031","proveId":"0193...", ...}]}
///
/// A number without an identity: `{}`.
struct LookUpIdentity: PlatformEndpoint {
    let manager: IdentityManager

    static let call = Call(
        .get, "/v3/identity/{mobileNumber}/lookup", id: "lookUpIdentity", "Find the identity of a number",
        "Active or not; there is at most one. Without one, items is left out.")
    static let refusals: [PlatformError] = [.numberNotServed, .otherProduct]
    static let body = Shape("")
    static let parameters = Parameters<String, PlatformError> {
        ParameterMember.path(number, .text(.phoneNumber), "A + may stand as it is, or as %2B.") { $0 = $1 }
        ParameterMember.requestID
    }
    static let reply = Reply<Identity?> {
        ReplyMember.whenThere(
            "items", .list(of: .object(IdentityReplies.record)), "The one identity. Absent if the number has none."
        ) { $0.map { [$0] } }
    }

    private static let number = "mobileNumber"

    static func error(of refusal: PlatformRefusal) -> PlatformError {
        if case .invalidField(.phoneNumber, let reason) = refusal { return .field(FieldDefect(number, reason)) }
        return PlatformError(refusal)
    }

    func respond(
        to number: String, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> Identity? {
        try await manager.identity(numbered: number, for: tenant)
    }
}
