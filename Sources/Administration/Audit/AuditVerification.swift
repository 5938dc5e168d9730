package import Possession
internal import Tokens

/// Follows the chain of the audit log from line to line.
///
///     var check = AuditVerification(after: ends.before, ends.beforeHash)
///     for line in lines { try check.take(line) }
package struct AuditVerification: Sendable {
    /// A defect of the log: the number of its entry, and the reason.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package let number: Int64
        package let reason: String

        package var description: String { "entry \(number): \(reason)" }
    }

    /// The last line that was found right.
    package private(set) var number: Int64
    package private(set) var hash: [UInt8]
    package private(set) var count = 0

    /// - Parameters:
    ///   - number: of the line before the first one.
    ///   - hash: its hash.
    package init(after number: Int64, _ hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }

    /// Begins with a line of the middle, and believes its word on the line before.
    package init?(from line: AuditLine) {
        guard let (number, previous) = AuditJSON.previous(line.text), number > 0 else { return nil }
        self.init(after: number - 1, previous)
    }

    /// The number of the line that has to follow. No number follows the largest one.
    package var next: Int64 { number == .max ? number : number + 1 }

    package mutating func take(_ line: AuditLine) throws(Fault) {
        let expected = next
        guard expected > number else {
            throw Fault(number: number, reason: "is the last one that there can be, and another one follows")
        }
        guard line.number == expected else {
            throw Fault(
                number: expected,
                reason: line.number > expected ? "is missing" : "entry \(line.number) stands in its place")
        }
        guard SHA256.digest(line.text) == line.hash else {
            throw Fault(number: expected, reason: "was changed: its hash is of another text")
        }
        guard let (number, previous) = AuditJSON.previous(line.text), number == expected else {
            throw Fault(number: expected, reason: "is no entry of this number")
        }
        guard previous == hash else {
            throw Fault(number: expected, reason: "does not follow the entry before it: one of the two was replaced")
        }
        self.number = expected
        hash = line.hash
        count += 1
    }
}
