internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/verify/batch`: up to 1,000 verifications at once, answered in their order. An item that cannot be read has
/// its `error` and is `"false"`; the rest go on.
///
///     {"items":[{"phoneNumber":"2001004053","verificationType":"verifiedUser","firstName":"Elena", ...}]}
///     ->  200 {"correlationId":"0193...","results":[{"success":"true","assuranceLevel":"AL1","clientCustomerId":"", ...}]}
struct VerifyPeople: Sendable {
    let service: VerificationService

    /// - Throws: `.body`, `.field`, `.sourceUnavailable`, `.overloaded`, `.internalFault`; nobody was enrolled then.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.batch.reader(of: request)
        let items: [JSONValue]
        let requestID: String?
        do throws(FieldDefect) {
            requestID = try fields.text("clientRequestId", .reference)
            items = try fields.requiredItems("items", most: VerificationService.maxBatch)
        } catch {
            throw .field(error)
        }
        let orders = items.map(VerificationItem.order)
        let results: [Result<VerificationService.Verification, PlatformRefusal>]
        let id: CorrelationID
        do throws(PlatformRefusal) {
            id = try service.freshCorrelationID()
            results = try await service.verify(all: orders, for: tenant)
        } catch {
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("correlationId", id.text)
        object.set("clientRequestId", requestID)
        object.set("results", zip(items, results).map { VerificationItem($0, $1).object })
        return .json(200, object)
    }
}
