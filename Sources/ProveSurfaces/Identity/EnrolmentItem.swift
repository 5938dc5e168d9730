internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// An item of a batch that enrols: a number as `POST /v3/identity` takes one, or an identity of a domain, which enrols
/// its number here as well.
///
///     {"phoneNumber":"2001004031","clientCustomerId":"c-1"}   or   {"clientName":"Acme","identityId":"0193...","pcid":"0193..."}
///
/// The latter is what `cross-domain` answers, and how newer SDKs type the item (Prove section 8); without `pcid` it is
/// an identity of the tenant's own. `clientName` is not looked at.
enum EnrolmentItem {
    static func order(_ item: JSONValue) -> Result<IdentityManager.Order, PlatformRefusal> {
        guard let object = item.object else {
            return .failure(.invalidField(.named("items"), reason: "must have objects"))
        }
        do throws(FieldDefect) {
            return .success(try order(FieldReader(object)))
        } catch {
            return .failure(.invalidField(.named(error.field), reason: error.reason))
        }
    }

    private static func order(_ item: FieldReader) throws(FieldDefect) -> IdentityManager.Order {
        var order = IdentityManager.Order(try subject(item))
        order.references.clientCustomerID = try item.text("clientCustomerId", .reference)
        order.references.clientHumanID = try item.text("clientHumanId", .reference)
        order.references.deviceID = try item.identifier("deviceId", DeviceID.self)
        order.attributes = try item.attributes("identityAttributes")
        return order
    }

    private static func subject(_ item: FieldReader) throws(FieldDefect) -> IdentityManager.Order.Subject {
        if let number = try item.text("phoneNumber", .phoneNumber) { return .phoneNumber(number) }
        // A client that must send a member has an empty one for what it does not know.
        for name in ["identityId", "proveId"] where try item.text(name, .any) != nil {
            guard let id = try item.identifier(name, HolderID.self) else { continue }
            let hasDomain = try item.text("pcid", .any) != nil
            return .identity(id, at: hasDomain ? try item.identifier("pcid", DomainID.self) : nil)
        }
        throw .missing("phoneNumber")
    }
}
