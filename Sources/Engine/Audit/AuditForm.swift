package import Possession

/// How audit entries become lines of a chain, as closures, so that a store knows neither JSON nor keys.
///
///     hash(n) = SHA-256(line(n)),  line(n) has hash(n - 1)
///
/// So anyone can find a line that was changed, removed or moved. `code` is a keyed digest of both ends of the chain:
/// only the holder of the master key can make a new chain or cut off its end.
package final class AuditForm: Sendable {
    /// - Parameters:
    ///   - number: the number of the line, from 1.
    ///   - previous: the hash of the previous line; 32 zero bytes for the first.
    package typealias Line = @Sendable (_ entry: AuditEntry, _ number: Int64, _ previous: [UInt8]) -> [UInt8]

    package let line: Line
    /// The time in a line, or `nil` if it has none.
    package let time: @Sendable (_ line: [UInt8]) -> Timestamp?
    /// 32 bytes.
    package let hash: @Sendable ([UInt8]) -> [UInt8]
    /// A keyed digest of 32 bytes.
    package let code: @Sendable ([UInt8]) -> [UInt8]

    package init(
        line: @escaping Line, time: @escaping @Sendable (_ line: [UInt8]) -> Timestamp?,
        hash: @escaping @Sendable ([UInt8]) -> [UInt8],
        code: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.line = line
        self.time = time
        self.hash = hash
        self.code = code
    }
}

/// Both ends of the stored chain.
package struct AuditEnds: Sendable, Equatable {
    /// Number of the last line that was removed because of its age; 0: none was removed.
    package var before: Int64
    package var beforeHash: [UInt8]
    /// Number of the newest line; equal to `before` while there is none.
    package var last: Int64
    package var lastHash: [UInt8]

    package init(before: Int64, beforeHash: [UInt8], last: Int64, lastHash: [UInt8]) {
        self.before = before
        self.beforeHash = beforeHash
        self.last = last
        self.lastHash = lastHash
    }

    package static let none = AuditEnds(
        before: 0, beforeHash: [UInt8](repeating: 0, count: 32), last: 0,
        lastHash: [UInt8](repeating: 0, count: 32))

    /// The bytes that the keyed digest covers.
    package var bytes: [UInt8] {
        AuditLine.bytes(of: before) + beforeHash + AuditLine.bytes(of: last) + lastHash
    }
}

/// A line as it is stored.
package struct AuditLine: Sendable, Equatable {
    package let number: Int64
    /// JSON, without a line feed.
    package let text: [UInt8]
    package let hash: [UInt8]

    package init(number: Int64, text: [UInt8], hash: [UInt8]) {
        self.number = number
        self.text = text
        self.hash = hash
    }

    /// The number of a line in eight bytes, most significant first.
    package static func bytes(of number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
    }
}

/// Reads the audit log.
package protocol AuditStore: AuditLog {
    /// - Returns: both ends, and whether their keyed digest is right.
    func ends() async throws(StorageFault) -> (AuditEnds, isAuthentic: Bool)
    /// The lines after a number, in order.
    func lines(after number: Int64, limit: Int) async throws(StorageFault) -> [AuditLine]
    /// Removes lines from before `end` at the start of the chain, a bounded number in each call. A line with a time
    /// after `now` counts as old as the next line.
    /// - Returns: how many were removed.
    func sweepAudit(before end: Timestamp, at now: Timestamp) async throws(StorageFault) -> Int
}
