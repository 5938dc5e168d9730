internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// How identities are shown. An id goes out under both of its names: SDKs of before April 2026 insist on `identityId`,
/// newer ones on `proveId` (Prove section 14).
enum IdentityView {
    /// `{"proveId":"...","identityId":"..."}`
    static func object(_ id: HolderID) -> JSONObject {
        var object = JSONObject()
        object.set("proveId", id.text)
        object.set("identityId", id.text)
        return object
    }

    /// The record. `carrier`, `lineType` and `countryCode` are left out: no source of them is connected.
    static func object(_ identity: Identity) -> JSONObject {
        var object = JSONObject()
        object.set("phoneNumber", identity.number.e164)
        object.set("proveId", identity.id.text)
        object.set("identityId", identity.id.text)
        object.set("active", identity.isActive)
        object.set("clientCustomerId", identity.references.clientCustomerID)
        object.set("clientHumanId", identity.references.clientHumanID)
        object.set("deviceId", identity.references.deviceID?.text)
        object.set("createdAt", identity.createdAt.seconds)
        object.set("creationString", identity.createdAt.rfc3339)
        return object
    }

    static func attribute(_ issued: IssuedAttribute, withValue: Bool) -> JSONObject {
        var object = JSONObject()
        object.set("attributeId", issued.attribute.name)
        if withValue { object.set("attributeValue", issued.attribute.value) }
        object.set("issuerId", issued.issuer.text)
        return object
    }

    /// `{"success":true}`
    static let done: Response = {
        var object = JSONObject()
        object.set("success", true)
        return .json(200, object)
    }()
}

extension PlatformError {
    /// What an item of a batch that was not taken is told.
    var itemMessage: String { response.message }
}

extension Response {
    fileprivate var message: String {
        (try? JSONObject.parse(body))?["message"]?.string ?? "not taken"
    }
}
