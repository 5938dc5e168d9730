/// How entries of the audit log become lines of a chain, as closures: a store knows neither JSON nor keys.
///
///     hash(n) = SHA-256(line(n)),  line(n) has hash(n - 1)
///
/// So a line that is changed, removed or moved is found by anybody. `code` is keyed, and stands over both ends of the
/// chain: only the holder of the master key can make a chain anew, or cut its end off.
package final class AuditForm: Sendable {
    /// - Parameters:
    ///   - number: of the line, from 1.
    ///   - previous: the hash of the line before; 32 zero bytes before the first.
    package typealias Line = @Sendable (_ entry: AuditEntry, _ number: Int64, _ previous: [UInt8]) -> [UInt8]

    package let line: Line
    /// The time of an entry, as its line has it; `nil`: there is none in it.
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

/// Both ends of what is kept of the chain.
package struct AuditEnds: Sendable, Equatable {
    /// The last line that was removed as too old; 0: none was.
    package var before: Int64
    package var beforeHash: [UInt8]
    /// The newest line; as `before` while there is none.
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

    /// Bytes that the keyed code is over.
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
    /// - Returns: both ends, and whether their keyed code is right.
    func ends() async throws(StorageFault) -> (AuditEnds, isAuthentic: Bool)
    /// The lines after a number, in order.
    func lines(after number: Int64, limit: Int) async throws(StorageFault) -> [AuditLine]
    /// Removes lines of before a moment from the start of the chain, some at a time. A line from after `now` is as old as the
    /// next one.
    /// - Returns: how many went.
    func sweepAudit(before end: Timestamp, at now: Timestamp) async throws(StorageFault) -> Int
}
