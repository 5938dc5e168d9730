/// Names a brand of a tenant.
package struct BrandID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A name that messages of a tenant go out under, with rules and limits of its own for the sessions that are run under it.
///
/// A value without I/O or clock. Its backend makes and changes brands by calls.
package struct Brand: Sendable, Equatable {
    /// Brands of one tenant.
    package static let most = 100
    package static let mostNameCharacters = 32

    package let id: BrandID
    /// `nil`: messages say the name of the tenant.
    package var name: String?
    /// Digits of a code.
    package var codeLength: Int
    /// Whether the backend may make codes of its own.
    package var takesOwnCodes: Bool
    /// Id of the operator's text that messages have where a call names none; `nil`: the text of the catalog.
    package var template: String?
    /// Eight switches that only the surface reads: wishes of the caller that it gives back.
    package var switches: UInt8
    package let createdAt: Timestamp
    package var changedAt: Timestamp
    /// In the order in which they were added.
    package internal(set) var quotas: [Quota]

    package init(
        id: BrandID, name: String?, codeLength: Int, takesOwnCodes: Bool, template: String? = nil, switches: UInt8 = 0,
        createdAt: Timestamp, changedAt: Timestamp? = nil, quotas: [Quota] = []
    ) {
        self.id = id
        self.name = name
        self.codeLength = codeLength
        self.takesOwnCodes = takesOwnCodes
        self.template = template
        self.switches = switches
        self.createdAt = createdAt
        self.changedAt = changedAt ?? createdAt
        self.quotas = quotas
    }

    /// Why a text cannot be the name in messages, as the end of a sentence about the field; `nil`: it can.
    package static func defect(ofName name: String) -> String? {
        guard !name.utf8.isEmpty else { return "is empty" }
        guard name.unicodeScalars.count <= mostNameCharacters else {
            return "is longer than \(mostNameCharacters) characters"
        }
        guard MessageTemplate.isSeen(name), !name.utf8.contains(UInt8(ascii: "\n")) else {
            return "has a character that is not seen, or changes the direction of text"
        }
        guard !name.utf8.contains(UInt8(ascii: "#")) else { return "must not have a #" }
        return LinkFinder.holdsLink(name) ? "must not have a link or a telephone number" : nil
    }
}

/// The brand that a session is run under: what its messages and its callers need of it.
package struct SessionBrand: Sendable, Equatable {
    package let id: BrandID
    /// In messages; `nil`: they say the name of the tenant.
    package let name: String?

    package init(_ id: BrandID, name: String?) {
        self.id = id
        self.name = name
    }
}
