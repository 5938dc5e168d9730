internal import Engine
internal import Possession
internal import SurfaceKit

/// Members that describe an identity in calls that enrol.
extension IdentityManager.Order {
    static let customerID = Member<Self>.optional(
        "clientCustomerId", .reference, "The caller's own name of the customer."
    ) { $0.references.clientCustomerID = $1 }
    static let humanID = Member<Self>.optional("clientHumanId", .reference, "The caller's own name of the person.") {
        $0.references.clientHumanID = $1
    }
    static let deviceID = Member<Self>.optional(
        "deviceId", .identifier(DeviceID.self), "The person's device key."
    ) { $0.references.deviceID = $1 }
    static let identityAttributes = Member<Self>.optional(
        "identityAttributes", .attributes, aboutAttributes
    ) { $0.attributes = $1 }
    static let aboutAttributes =
        "What the caller says of the person. One of a name that the identity has replaces it; at most 20 in all."
}
