/// Identifies a brand of a tenant.
package struct BrandID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A sender brand for a tenant's messages, with its own rules and limits for sessions that use it.
///
/// A value without I/O or clock. The tenant's backend creates and changes brands by calls.
package struct Brand: Sendable, Equatable {
    /// Maximum brands of one tenant.
    package static let most = 100
    package static let mostNameCharacters = 32

    package let id: BrandID
    /// `nil`: messages contain the tenant's name.
    package var name: String?
    /// Digits of a code.
    package var codeLength: Int
    /// Whether the backend may make its own codes.
    package var takesOwnCodes: Bool
    /// Id of the operator's text for messages, if a call names none; `nil`: the text of the catalog.
    package var template: String?
    /// Eight switches that the surface stores for the caller and returns. Only the surface reads them.
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

/// The brand of a session, with the data that messages and callers need.
package struct SessionBrand: Sendable, Equatable {
    package let id: BrandID
    /// The name in messages; `nil`: they contain the tenant's name.
    package let name: String?

    package init(_ id: BrandID, name: String?) {
        self.id = id
        self.name = name
    }
}
