internal import Possession
internal import SurfaceKit

/// The form of identities in answers. An ID is returned under both of its names: SDKs from before April 2026 require
/// `identityId`, newer ones `proveId` (Prove section 14).
enum IdentityReplies {
    /// `{"proveId":"...","identityId":"..."}`
    static let ids = Reply<HolderID>(name: "IdentityID") { ReplyMember.ids { $0 } }

    /// The record. `carrier`, `lineType` and `countryCode` are left out, because no source for them is connected.
    static let record = Reply<Identity>(name: "Identity") {
        ReplyMember.always("phoneNumber", .text, "E.164.") { $0.number.e164 }
        ReplyMember.always("proveId", .identifier(), "Stands for the number; only this API client has this id for it.")
        { $0.id }
        ReplyMember.always("identityId", .identifier(), "The same value as proveId.") { $0.id }
        ReplyMember.always("active", .flag, "false: lists leave it out, and linked domains do not see it.") {
            $0.isActive
        }
        ReplyMember.whenThere(
            "clientCustomerId", .text, "The caller's own name of the customer. Absent if it gave none."
        ) { $0.references.clientCustomerID }
        ReplyMember.whenThere("clientHumanId", .text, "The caller's own name of the person. Absent if it gave none.") {
            $0.references.clientHumanID
        }
        ReplyMember.whenThere("deviceId", .identifier(), "The device key that the caller gave. Absent if it gave none.")
        { $0.references.deviceID }
        ReplyMember.always("createdAt", .seconds, "Seconds since 1970.") { $0.createdAt }
        ReplyMember.always("creationString", .moment, "The same time as createdAt, UTC.") { $0.createdAt }
    }
}

extension ReplyMember {
    static func ids(_ id: @escaping @Sendable (Value) -> HolderID) -> [ReplyMember] {
        [
            always("proveId", .identifier(), "The number, as the caller's own.", id),
            always("identityId", .identifier(), "The same, for SDKs of before April 2026.", id),
        ]
    }
}

extension ReplyMember where Value == IssuedAttribute {
    /// The `attributeType` of the attribute.
    static var attributeID: ReplyMember {
        .always("attributeId", .text, "The attributeType under which it came.") { $0.attribute.name }
    }

    static var issuerID: ReplyMember {
        .always("issuerId", .identifier(), "Names who made the statement.") { $0.issuer }
    }
}
