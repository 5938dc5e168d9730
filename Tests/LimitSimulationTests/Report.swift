#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The rows of a Markdown table: before, and with the model.
enum Report {
    static let price = 0.05

    static let head = """
        | attack | people of the prefix | locked out of prefix, before | now | 14 days | of country, before | now | \
        of client, before | now | of the other countries | returning people | refused once: prefix, country | \
        minutes until it came | messages in 2 days, before | now | in 14 days, before | now | cost of 14 days | \
        prefix open/watched/sourced/closed % | country | refused last by |
        |\(String(repeating: " --- |", count: 21))
        """

    static func row(_ scenario: Scenario, before: Outcome, now: Outcome) -> String {
        let isOfBlock = if case .block = scenario.attack?.target { true } else { false }
        let (range, rangeBefore) = isOfBlock ? (now.block, before.block) : (now.prefix, before.prefix)
        let cells: [String] = [
            scenario.name, "\(range.people)", text(rangeBefore.lockedOutPercent), text(range.lockedOutPercent),
            text(now.prefixOverall.lockedOutPercent), text(before.country.lockedOutPercent),
            text(now.country.lockedOutPercent), text(before.client.lockedOutPercent),
            text(now.client.lockedOutPercent), text(now.others.lockedOutPercent), text(now.returning.lockedOutPercent),
            text(range.refusedPercent) + ", " + text(now.country.refusedPercent),
            now.country.middleDelay.map { "\($0 / .minute)" } ?? "",
            text(before.perRun(before.messagesInTwoDays)), text(now.perRun(now.messagesInTwoDays)),
            text(before.perRun(before.messagesInFourteenDays)), text(now.perRun(now.messagesInFourteenDays)),
            text(now.perRun(now.messagesInFourteenDays) * price), shares(now.prefixTimes), shares(now.countryTimes),
            causes(now.client) + crowd(now.crowd),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// `1.3`, `57`.
    static func text(_ value: Double) -> String {
        guard value < 20 else { return "\(Int(value.rounded()))" }
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private static func crowd(_ group: GroupOutcome) -> String {
        guard group.people > 0 else { return "" }
        return "crowd: \(text(group.lockedOutPercent)) % locked out (\(causes(group))), "
            + "\(text(group.refusedPercent)) % refused once, \((group.middleDelay ?? 0) / .second) s until it came"
    }

    /// The people that each limit locked out: `pair 3, prefix 20`.
    private static func causes(_ group: GroupOutcome) -> String {
        SimulatedLimit.allCases.compactMap { limit in group.lockedOutBy[limit].map { "\(limit.rawValue) \($0)" } }
            .joined(separator: ", ")
    }

    private static func shares(_ times: [Int]) -> String {
        let sum = Double(max(1, times.reduce(0, +)))
        return times.map { "\(Int((Double($0) * 100 / sum).rounded()))" }.joined(separator: "/")
    }
}
