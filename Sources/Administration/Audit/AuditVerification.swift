package import Engine
internal import Possession
internal import Tokens

/// Checks the hash chain of the audit log line by line.
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

    /// The number of the last line that was verified.
    package private(set) var number: Int64
    package private(set) var hash: [UInt8]
    package private(set) var count = 0

    /// - Parameters:
    ///   - number: the number of the line before the first one.
    ///   - hash: the hash of that line.
    package init(after number: Int64, _ hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }

    /// Begins at a line in the middle, and trusts the hash of the previous line that it states.
    package init?(from line: AuditLine) {
        guard let (number, previous) = AuditJSON.previous(line.text), number > 0 else { return nil }
        self.init(after: number - 1, previous)
    }

    /// The number that the next line must have. The largest number has no next one.
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
