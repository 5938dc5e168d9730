/// Identifies a quota of a brand.
package struct QuotaID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Identifies a window of a quota.
package struct QuotaWindowID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A limit that a tenant sets on its own calls: a maximum of messages in a time. It counts each value in the calls
/// separately, such as the address of the person's device.
package struct Quota: Sendable, Equatable {
    /// At most `most` messages in `seconds`.
    package struct Window: Sendable, Equatable {
        package static let mostBounds = 1...100_000
        /// At most a day, because counts are stored for that long.
        package static let secondsBounds = 1...86_400

        package let id: QuotaWindowID
        package internal(set) var most: Int
        package internal(set) var seconds: Int
        package let createdAt: Timestamp
        package internal(set) var changedAt: Timestamp

        package init(
            id: QuotaWindowID, most: Int, seconds: Int, createdAt: Timestamp, changedAt: Timestamp? = nil
        ) {
            self.id = id
            self.most = most
            self.seconds = seconds
            self.createdAt = createdAt
            self.changedAt = changedAt ?? createdAt
        }
    }

    /// Maximum quotas of one brand, and windows of one quota.
    package static let most = 20
    package static let mostWindows = 10
    package static let mostNameBytes = 64
    /// Maximum length of a value in a call, in bytes.
    package static let mostValueBytes = 256

    package let id: QuotaID
    package let name: String
    /// A description that the caller sets for itself.
    package internal(set) var about: String
    package let createdAt: Timestamp
    package internal(set) var changedAt: Timestamp
    /// In the order in which they were added.
    package internal(set) var windows: [Window]

    package init(
        id: QuotaID, name: String, about: String, createdAt: Timestamp, changedAt: Timestamp? = nil,
        windows: [Window] = []
    ) {
        self.id = id
        self.name = name
        self.about = about
        self.createdAt = createdAt
        self.changedAt = changedAt ?? createdAt
        self.windows = windows
    }

    /// 1 to 64 of `A-Z a-z 0-9 . _ -`.
    package static func isName(_ text: String) -> Bool {
        (1...mostNameBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}
