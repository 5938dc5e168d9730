package import Engine
internal import Possession

/// Bounds of stored numbers.
package enum StoredBounds {
    /// Tries, sends and challenges: far above every limit, far below an overflow.
    package static let maxCount = 1000
    /// Maximum of a count of changes or events: no session reaches it, and adding one never overflows.
    package static let maxChanges = 1 << 53
    /// Times from 1970 to the end of year 9999, in milliseconds: a sum with any of our durations stays in range.
    package static let times: ClosedRange<Int64> = 0...253_402_300_799_999
}

extension StorageFault {
    /// A stored value breaks a rule; `column` is `table.column`.
    package static func corrupt(_ column: StaticString) -> StorageFault {
        .corrupt(what: column.description)
    }
}
