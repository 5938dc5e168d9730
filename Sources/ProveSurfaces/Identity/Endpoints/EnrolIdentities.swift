internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/identity/batch`: enrols up to 100 at once. What cannot be enrolled has its reason, in its place.
///
///     {"items":[{"phoneNumber":"2001004031"},{"phoneNumber":"1"}]}
///     ->  200 {"results":[{"proveId":"0193...", ...},{"error":"field 'phoneNumber' is not a possible phone number"}]}
///
/// The list may be called `identities` instead (Prove section 8).
struct EnrolIdentities: Sendable {
    let manager: IdentityManager

    /// - Throws: `.body`, `.field`, `.overloaded`, `.internalFault`; nothing was enrolled then.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.batch.reader(of: request)
        let items: [JSONValue]
        do throws(FieldDefect) {
            _ = try fields.text("clientRequestId", .reference)
            let others = try fields.array("identities")
            if others != nil, try fields.array("items") != nil {
                throw FieldDefect("identities", "must not stand beside 'items'")
            }
            items = try fields.requiredItems(others == nil ? "items" : "identities", most: Identity.Limit.batch)
        } catch {
            throw .field(error)
        }
        let results: [Result<HolderID, PlatformRefusal>]
        do throws(PlatformRefusal) {
            results = try await manager.enrol(all: items.map(EnrolmentItem.order), for: tenant)
        } catch {
            throw PlatformError(error)
        }
        var object = JSONObject()
        object.set("results", results.map(Self.object))
        return .json(200, object)
    }

    private static func object(_ result: Result<HolderID, PlatformRefusal>) -> JSONObject {
        switch result {
        case .success(let id): return IdentityView.object(id)
        case .failure(let refusal):
            var object = JSONObject()
            object.set("error", PlatformError(refusal).itemMessage)
            return object
        }
    }
}
