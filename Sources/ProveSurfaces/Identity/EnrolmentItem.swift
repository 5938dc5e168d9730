internal import Engine
internal import Possession
internal import SurfaceKit

/// An item of an enrolment batch: a number, as in `POST /v3/identity`, or an identity of a domain, whose number is then
/// enrolled here too.
///
///     {"phoneNumber":"2001004031","clientCustomerId":"c-1"}   or   {"clientName":"Acme","identityId":"0193...","pcid":"0193..."}
///
/// The second form is the answer of `cross-domain`, and the item type of newer SDKs (Prove section 8); without `pcid`
/// it is the tenant's own identity. `clientName` is ignored.
enum EnrolmentItem {
    static let shape = Shape(IdentityManager.Order(.phoneNumber("")), name: "EnrolmentOrder") {
        Member.whole(subjectFields) { (fields, order) throws(FieldDefect) in order.subject = try subject(fields) }
        IdentityManager.Order.customerID
        IdentityManager.Order.humanID
        IdentityManager.Order.deviceID
        IdentityManager.Order.identityAttributes
    }

    private static let subjectFields = [
        may("phoneNumber", Input<String>.phoneNumber.schema, "The number, unless identityId is there."),
        may(
            "identityId", Schema.givenIdentifier,
            "An identity of a linked domain: its number is enrolled here as well."),
        may("pcid", Schema.givenIdentifier, "The domain whose identity it is; without it, the caller's own."),
        may("clientName", .text(), "It has no effect."),
    ]

    private static func subject(_ item: FieldReader) throws(FieldDefect) -> IdentityManager.Order.Subject {
        if let number = try item.text("phoneNumber", .phoneNumber) { return .phoneNumber(number) }
        // A client that must send a member sends an empty one for an unknown value.
        for name in ["identityId", "proveId"] {
            guard let id = try item.identifier(name, HolderID.self) else { continue }
            return .identity(id, at: try item.identifier("pcid", DomainID.self))
        }
        throw .missing("phoneNumber")
    }
}
