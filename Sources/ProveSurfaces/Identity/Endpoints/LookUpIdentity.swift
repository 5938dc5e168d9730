internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /v3/identity/{mobileNumber}/lookup`: the tenant's identity of a number, active or not. There is at most one.
///
///     /v3/identity/%2B12001004031/lookup  ->  200 {"items":[{"phoneNumber":"+12001004031","proveId":"0193...", ...}]}
///
/// A number without an identity: `{}`.
struct LookUpIdentity: Sendable {
    let manager: IdentityManager

    /// - Throws: `.field`, `.numberNotServed`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let name = "mobileNumber"
        let text = request.parameters[name] ?? ""
        do throws(FieldDefect) {
            if let defect = TextRule.phoneNumber.defect(of: text) { throw FieldDefect(name, defect) }
            try QueryReader(request).checkRequestID()
        } catch {
            throw .field(error)
        }
        let identity: Identity?
        do throws(PlatformRefusal) {
            identity = try await manager.identity(numbered: text, for: tenant)
        } catch {
            if case .invalidField(.phoneNumber, let reason) = error { throw .field(FieldDefect(name, reason)) }
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("items", identity.map { [IdentityView.object($0)] })
        return .json(200, object)
    }
}
