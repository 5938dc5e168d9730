internal import Possession
internal import SurfaceKit

/// A link with another domain, in the calls that request a link and agree to one.
///
///     {"pcid":"0193...","scopes":["loyaltyTier"]}
struct OfferedLink: Sendable {
    var domain = DomainID(high: 0, low: 0)
    /// `nil` if none were named.
    var scopes: [String]?

    static let body = Shape(OfferedLink()) {
        Member.required(
            "pcid", .identifier(DomainID.self), "The other domain; one that is not known answers 404, 8010."
        ) { $0.domain = $1 }
        Member.optional(
            "scopes", .scopes, "At most 20 names of attributes that the asking side is to see, or phoneNumber."
        ) { $0.scopes = $1 }
    }
}
