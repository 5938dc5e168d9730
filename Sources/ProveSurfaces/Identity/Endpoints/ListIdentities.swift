internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /v3/identity`: the tenant's identities, oldest first; inactive ones on request.
///
///     ?limit=2  ->  200 {"results":[{"proveId":"0193...", ...},{"proveId":"0193...", ...}],"lastKey":"0193..."}
///
/// `lastKey` is there when there is more: as `startKey` it asks for the next page.
struct ListIdentities: Sendable {
    let manager: IdentityManager

    /// - Throws: `.field`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let query = QueryReader(request)
        let limit: Int
        let after: HolderID?
        let includingInactive: Bool
        do throws(FieldDefect) {
            limit = try query.wholeNumber("limit", in: 1...Identity.Limit.page) ?? Identity.Limit.defaultPage
            after = try query.identifier("startKey", HolderID.self)
            includingInactive = try query.flag("showInactive") ?? false
            try query.checkRequestID()
        } catch {
            throw .field(error)
        }
        let page: IdentityManager.Page
        do throws(PlatformRefusal) {
            page = try await manager.identities(
                after: after, limit: limit, includingInactive: includingInactive, for: tenant)
        } catch {
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("results", page.ids.map(IdentityView.object))
        object.set("lastKey", page.lastID?.text)
        return .json(200, object)
    }
}
