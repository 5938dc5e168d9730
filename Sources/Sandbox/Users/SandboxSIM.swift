internal import StrictJSON
internal import Text

/// The simulated operator's answer about a user's SIM.
package enum SandboxSIM: Sendable, Equatable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// The number has no SIM yet.
        case noSIM = "no-sim"
        /// The operator reports nothing about such numbers.
        case notApplicable = "not-applicable"
        /// It does not answer in time.
        case unavailable
    }

    case outcome(Outcome)
    /// - `hoursAgo`: the last swap, before the users file was read; `nil`: there was none.
    /// - `monitoredDays`: the operator does not report older swaps; `nil`: it reports all.
    case told(hoursAgo: Int?, monitoredDays: Int?)

    /// About a hundred years.
    package static let mostHours = 876_000
    package static let mostDays = 36_500

    /// Reads a word, or an object with times.
    static func read(_ name: String, in reader: inout MemberReader) -> SandboxSIM? {
        guard let value = reader.value(name) else { return .told(hoursAgo: nil, monitoredDays: nil) }
        if let text = value.string, let outcome = Outcome.allCases.first(where: { $0.rawValue.isSame(as: text) }) {
            return .outcome(outcome)
        }
        guard let object = value.object, object.count > 0,
            object.names.allSatisfy({ $0.isSame(as: "hoursAgo") || $0.isSame(as: "monitoredDays") })
        else {
            let words = Outcome.allCases.map(\.rawValue).joined(separator: ", ")
            reader.note(name, "must be one of \(words), or an object with hoursAgo, monitoredDays or both")
            return nil
        }
        let hours = number("hoursAgo", 0...mostHours, object, name, &reader)
        return .told(
            hoursAgo: hours, monitoredDays: number("monitoredDays", 1...mostDays, object, name, &reader))
    }

    private static func number(
        _ member: String, _ range: ClosedRange<Int>, _ object: JSONObject, _ name: String, _ reader: inout MemberReader
    ) -> Int? {
        guard let value = object[member] else { return nil }
        guard let number = value.integer, let whole = Int(exactly: number), range.contains(whole) else {
            reader.note("\(name).\(member)", "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return whole
    }
}
