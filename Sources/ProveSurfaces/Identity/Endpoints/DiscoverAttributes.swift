internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /v3/discover`: which attributes there are for an identity, and who says so: the tenant itself and, where they
/// have an active identity of the same number, the tenants it is linked with.
///
///     ?proveId=0193...  ->  200 {"results":[{"attributeId":"loyaltyTier","issuerId":"0193..."}]}
///
/// `attributeId` is the `attributeType` under which the attribute came.
struct DiscoverAttributes: Sendable {
    let domains: Domains

    /// - Throws: `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let query = QueryReader(request)
        let id: HolderID
        do throws(FieldDefect) {
            guard let given = try query.identifier("proveId", HolderID.self) else { throw .missing("proveId") }
            id = given
            try query.checkRequestID()
        } catch {
            throw .field(error)
        }
        let found: [IssuedAttribute]
        do throws(PlatformRefusal) { found = try await domains.attributes(id, for: tenant) } catch {
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("results", found.map { IdentityView.attribute($0, withValue: false) })
        return .json(200, object)
    }
}
