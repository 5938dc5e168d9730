internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /v3/fetch`: the values of one attribute of an identity, one for each who says it.
///
///     ?proveId=0193...&attributeId=loyaltyTier
///     ->  200 {"results":[{"attributeId":"loyaltyTier","attributeValue":"gold","issuerId":"0193..."}]}
struct FetchAttribute: Sendable {
    let domains: Domains

    /// - Throws: `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let query = QueryReader(request)
        let id: HolderID
        let name: String
        do throws(FieldDefect) {
            guard let given = try query.identifier("proveId", HolderID.self) else { throw .missing("proveId") }
            id = given
            name = try query.requiredText("attributeId", .attributeName)
            try query.checkRequestID()
        } catch {
            throw .field(error)
        }
        let found: [IssuedAttribute]
        do throws(PlatformRefusal) { found = try await domains.attributes(id, named: name, for: tenant) } catch {
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("results", found.map { IdentityView.attribute($0, withValue: true) })
        return .json(200, object)
    }
}
