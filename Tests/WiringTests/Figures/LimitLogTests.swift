import Locks
import Logging
import Possession
import Testing

@testable import Observation
@testable import Wiring

/// ABU-12.
@Suite struct LimitLogTests {
    private static let number = PhoneNumber(e164: "+12015550123")!

    /// The log of `calls`, with the registry that counts them and a clock that they may set, in seconds.
    private func noted(
        _ calls: (LimitLog, _ set: (Int) -> Void) -> Void
    ) throws -> (lines: [[String: Any]], metrics: [String]) {
        let registry = MetricsRegistry(LimitLog.families)
        let start = ContinuousClock.now
        let seconds = Locked(0)
        let lines = try LogTests.lines { sink in
            let logger = Logger(label: "test", factory: { _ in JSONLogHandler(sink, level: .info) })
            let log = LimitLog(registry, logger) { start + .seconds(seconds.withLock { $0 }) }
            calls(log) { now in seconds.withLock { $0 = now } }
        }
        return (lines, MetricsTests.rendered(registry))
    }

    private func context(_ line: [String: Any]) -> [String: Any] { line["context"] as? [String: Any] ?? [:] }

    @Test(arguments: LimitName.allCases)
    func `counts a hit by its limit, and logs it once with the number masked`(limit: LimitName) throws {
        let (lines, metrics) = try noted { log, _ in log.note(limit, Self.number) }
        #expect(metrics.contains(#"holdfast_limit_hits_total{limit="\#(limit.rawValue)"} 1"#))
        #expect(metrics.filter { $0.hasSuffix(" 1") }.count == 1, "no other limit counts it")
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(context(line)["limit"] as? String == limit.rawValue)
        #expect(context(line)["number"] as? String == Self.number.description)
        #expect(!"\(line)".contains("5550123") && "\(line)".contains("23"))
    }

    @Test func `a hit without a number names none`() throws {
        let (lines, _) = try noted { log, _ in log.note(.polls, nil) }
        #expect(lines.map { Array(context($0).keys) } == [["limit"]])
    }

    @Test func `a limit that nobody met reads 0`() throws {
        let (_, metrics) = try noted { _, _ in }
        for limit in LimitName.allCases {
            #expect(metrics.contains(#"holdfast_limit_hits_total{limit="\#(limit.rawValue)"} 0"#))
        }
    }

    @Test func `counts messages without an address by API client, and logs the first of each`() throws {
        let (lines, metrics) = try noted { log, _ in
            for _ in 0..<3 { log.note(sentWithoutAddress: ClientID("shop")!) }
            log.note(sentWithoutAddress: ClientID("bank")!)
        }
        #expect(metrics.contains(#"holdfast_messages_without_address_total{client="shop"} 3"#))
        #expect(metrics.contains(#"holdfast_messages_without_address_total{client="bank"} 1"#))
        #expect(lines.map { context($0)["client"] as? String } == ["shop", "bank"])
    }

    @Test func `counts no more than a hundred API clients by name`() throws {
        let (lines, metrics) = try noted { log, _ in
            for index in 0..<150 { log.note(sentWithoutAddress: ClientID("client-\(index)")!) }
        }
        #expect(metrics.count { $0.hasPrefix("holdfast_messages_without_address_total{") } == 101)
        #expect(metrics.contains(#"holdfast_messages_without_address_total{client="(others)"} 50"#))
        #expect(lines.count == 100)
    }

    @Test func `counts every hit, and logs ten a second of a limit and then how many were left out`() throws {
        let (lines, metrics) = try noted { log, set in
            for _ in 0..<25 { log.note(.wrongCodes, Self.number) }
            log.note(.polls, nil)
            set(1)
            log.note(.wrongCodes, Self.number)
        }
        #expect(metrics.contains(#"holdfast_limit_hits_total{limit="wrong_codes"} 26"#))
        #expect(lines.count == 12)
        #expect(lines.dropLast().allSatisfy { context($0)["notLogged"] == nil })
        #expect(context(try #require(lines.last))["notLogged"] as? String == "15")
    }
}
