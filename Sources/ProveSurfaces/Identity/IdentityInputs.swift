internal import Possession
internal import SurfaceKit

extension TextRule {
    static let attributeName = freeText(Identity.Limit.attributeNameCharacters)
    static let attributeValue = freeText(Identity.Limit.attributeValueCharacters)
    static let userAgent = freeText(512)
}

/// Rules for members of the calls about people.
extension Input where Value == [IdentityAttribute] {
    /// `[{"attributeType":"loyaltyTier","attributeValue":"gold"}]`, each type once.
    static var attributes: Input {
        list(of: attribute, most: Identity.Limit.attributes).map(orFail: "has one attributeType twice") {
            [].merging($0).count == $0.count ? $0 : nil
        }
    }

    private static var attribute: Shape<IdentityAttribute> {
        Shape(IdentityAttribute(name: "", value: ""), name: "IdentityAttribute") {
            Member.required(
                "attributeType", .filledText(.attributeName), "Its name: what discover and fetch call attributeId."
            ) { $0.name = $1 }
            Member.required("attributeValue", .filledText(.attributeValue), "The text that fetch answers.") {
                $0.value = $1
            }
        }
    }
}

extension Input where Value == [String] {
    /// Scopes of a link.
    static var scopes: Input {
        list(of: .freeText(DomainLink.Limit.scopeCharacters), most: DomainLink.Limit.scopes)
    }
}

/// The caller's own ID of the call. These calls check it but do not return it.
extension Member {
    static var requestID: Member { .ignored("clientRequestId", .reference, "The caller's own name of the call.") }
}

extension ParameterMember {
    static var requestID: ParameterMember {
        .ignoredQuery("clientRequestId", .text(.reference), "The caller's own name of the call.")
    }
}

extension ParameterMember where Body == HolderID, Refusal == PlatformError {
    /// An identity of the caller. A text that is not an identifier names none.
    static func identity(_ name: String, _ about: String) -> ParameterMember {
        .path(name, .identifier(HolderID.self), about, orRefuse: .notFound(what: "identity")) { $0 = $1 }
    }
}
