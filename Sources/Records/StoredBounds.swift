package import Possession

/// Bounds of stored numbers.
package enum StoredBounds {
    /// Tries, sends and challenges: far above every limit, far below trouble.
    package static let maxCount = 1000
    /// Most changes or events, counted one by one: no session gets there, and one more never overflows.
    package static let maxChanges = 1 << 53
    /// Moments from 1970 to the end of year 9999, in milliseconds: sums with any duration of ours stay in range.
    package static let times: ClosedRange<Int64> = 0...253_402_300_799_999
}

extension StorageFault {
    /// A stored value breaks a rule; `column` is `table.column`.
    package static func corrupt(_ column: StaticString) -> StorageFault {
        .corrupt(what: column.description)
    }
}
