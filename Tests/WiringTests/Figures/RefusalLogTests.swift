import Logging
import Testing

@testable import HTTPServer
@testable import Observation
@testable import Wiring

@Suite struct RefusalLogTests {
    /// The counts that were told, round by round, of connections refused by address.
    private func told(_ counts: [Int]) throws -> [String] {
        try LogTests.lines { sink in
            let log = RefusalLog(Logger(label: "test", factory: { _ in JSONLogHandler(sink, level: .info) }))
            for count in counts {
                var now = Statistics()
                now.refused.overAddress = count
                log.check(now, streams: 0)
            }
        }.map { line in (line["context"] as? [String: Any])?["count"] as? String ?? "" }
    }

    @Test func `warns at once, and again a minute later with what came since`() throws {
        #expect(try told([0, 0]) == [])
        #expect(try told([7, 9, 20]) == ["7"])
        #expect(try told([7] + Array(repeating: 20, count: 11)) == ["7"])
        #expect(try told([7] + Array(repeating: 20, count: 12)) == ["7", "13"])
        #expect(try told([7] + Array(repeating: 7, count: 50)) == ["7"])
    }

    @Test func `names the setting for each reason`() throws {
        var now = Statistics()
        now.refused = Statistics.Refused(overAll: 1, overAddress: 1, withoutDescriptor: 1, withoutProxyHeader: 1)
        now.requestsRefusedForMemory = 1
        let all = now
        let messages = try LogTests.lines { sink in
            RefusalLog(Logger(label: "test", factory: { _ in JSONLogHandler(sink, level: .info) })).check(
                all, streams: 1)
        }.map { "\($0["message"] ?? "")" }
        #expect(messages.count == 6)
        for setting in [
            "server.maxConnections", "server.trustedProxies", "ulimit -n", "server.maxBufferedBytes",
            "server.maxStreams", "server.proxyProtocol",
        ] {
            #expect(messages.contains { $0.contains(setting) }, "\(setting)")
        }
    }
}
