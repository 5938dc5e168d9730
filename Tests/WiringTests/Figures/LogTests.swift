import Foundation
import Locks
import Logging
import Testing

@testable import HTTPServer
@testable import Observation
@testable import Wiring
import Text

@Suite struct LogTests {
    /// A sink whose lines can be read back: the two ends of a pipe.
    struct Pipe {
        let read: Int32
        let write: Int32

        init() {
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            read = ends[0]
            write = ends[1]
        }

        /// Closes the written end. Its number goes on to take what a sink writes late, which would stand in whatever
        /// another test opens next otherwise.
        func endWriting() {
            let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
            dup2(nowhere, write)
            close(nowhere)
        }

        /// Everything written; closes both ends.
        func contents() -> [UInt8] {
            endWriting()
            defer { close(read) }
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(read, &buffer, buffer.count)
                guard count > 0 else { return all }
                all += buffer.prefix(count)
            }
        }
    }

    static func lines(_ body: (LogSink) -> Void) throws -> [[String: Any]] {
        let pipe = Pipe()
        let sink = LogSink(descriptor: pipe.write)
        body(sink)
        sink.flush(within: .seconds(60))
        let text = String(decoding: pipe.contents(), as: UTF8.self)
        return try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    static func exchange(
        id: String = "r-1", method: HTTPServer.Method = .post, peer: String = "127.0.0.1", status: Int = 200,
        notes: RequestNotes? = nil
    ) -> Exchange {
        Exchange(
            method: method, routePattern: "/v3/unify", status: status, duration: .microseconds(1234), bytesIn: 10,
            bytesOut: 20,
            requestID: id, peer: PeerAddress(IPAddress(peer)), notes: notes,
            isDelivered: true)
    }

    /// Lines for people, without their time.
    static func readable(_ body: (LogSink) -> Void) -> [Substring] {
        let pipe = Pipe()
        let sink = LogSink(descriptor: pipe.write, isForPeople: true)
        body(sink)
        sink.flush(within: .seconds(60))
        return String(decoding: pipe.contents(), as: UTF8.self).split(separator: "\n").map { $0.dropFirst(14) }
    }

    @Test func `writes a request for people`() {
        #expect(
            Self.readable { AccessLog($0).record(Self.exchange()) } == [
                "info     request POST /v3/unify 200 1.234 ms requestId=r-1 bytesIn=10 bytesOut=20 peer=127.0.0.1"
            ])
    }

    @Test func `a line for people has the context, and each value ends where it ends`() {
        let lines = Self.readable { sink in
            let logger = Logger(label: "test") { _ in JSONLogHandler(sink) }
            logger.warning(
                "a clock\u{1B}[2J\nstepped", metadata: ["by": "two words", "at": "a=b\n", "seconds": "12", "no": ""])
        }
        #expect(
            lines == [
                #"warning  a clock\u001b[2J\u000astepped at="a=b\u000a" by="two words" no="" seconds=12"#
            ])
    }

    @Test func `writes one line for a request`() throws {
        let line = try #require(try Self.lines { AccessLog($0).record(Self.exchange()) }.first)
        #expect(line["message"] as? String == "request")
        #expect(line["requestId"] as? String == "r-1")
        #expect(line["method"] as? String == "POST")
        #expect(line["route"] as? String == "/v3/unify")
        #expect(line["status"] as? Int == 200)
        #expect(line["durationMs"] as? Double == 1.234)
        #expect(line["bytesIn"] as? Int == 10)
        #expect(line["bytesOut"] as? Int == 20)
        #expect(line["peer"] as? String == "127.0.0.1")
        let time = try #require(line["time"] as? String)
        #expect(time.count == 24 && time.hasSuffix("Z") && time.hasPrefix("20"))
    }

    static let hostile = [
        "a\nb", "a\r\nb", "\u{1B}[31mred", "quote\" , \"level\":\"fake", "back\\slash\\", "\u{0}", "\u{7F}",
        "\u{9B}31m",
        "\u{2028}line\u{2029}", "\u{85}", "é😀", "\t", "}\n{\"time\":1}",
    ]

    @Test(arguments: hostile)
    func `keeps hostile text inside its field`(text: String) throws {
        let lines = try Self.lines { sink in
            var logger = Logger(label: "test", factory: { _ in JSONLogHandler(sink, level: .trace) })
            logger[metadataKey: text] = .string(text)
            logger.warning("\(text)", metadata: ["own": .array([.string(text), .dictionary(["k": .string(text)])])])
            var exchange = Self.exchange(id: text, method: .other(text), peer: text)
            exchange.error = text
            exchange.notes = RequestNotes(RequestNotes.Values(caller: text, subject: text, address: text))
            AccessLog(sink).record(exchange)
        }
        try #require(lines.count == 2, "\(lines)")
        #expect(lines[0]["message"] as? String == text)
        #expect(Set(lines[0].keys) == ["time", "level", "message", "context"])
        let context = try #require(lines[0]["context"] as? [String: Any])
        #expect(context[text] as? String == text)
        #expect((context["own"] as? [Any])?.first as? String == text)
        #expect(lines[1]["requestId"] as? String == text)
        #expect(lines[1]["method"] as? String == "other")
        for name in ["error", "client", "correlationId", "address"] { #expect(lines[1][name] as? String == text) }
        #expect(lines[1].count == 15)
    }

    @Test func `writes no raw control character but the line ends`() {
        let pipe = Pipe()
        let sink = LogSink(descriptor: pipe.write)
        for text in Self.hostile { AccessLog(sink).record(Self.exchange(id: text)) }
        sink.flush(within: .seconds(60))
        let bytes = pipe.contents()
        #expect(bytes.count { $0 == 10 } == Self.hostile.count)
        #expect(!bytes.contains { $0 < 32 && $0 != 10 || $0 == 127 })
    }

    @Test func `leaves out records below its level`() throws {
        let lines = try Self.lines { sink in
            let logger = Logger(label: "test", factory: { _ in JSONLogHandler(sink, level: .warning) })
            logger.info("not this")
            logger.warning("this")
        }
        #expect(lines.map { $0["message"] as? String } == ["this"])
    }

    /// A pipe that takes nothing more.
    private static func fullPipe() -> Pipe {
        let pipe = Pipe()
        let flags = fcntl(pipe.write, F_GETFL)
        _ = fcntl(pipe.write, F_SETFL, flags | O_NONBLOCK)
        let filler = [UInt8](repeating: UInt8(ascii: "\n"), count: 65_536)
        while write(pipe.write, filler, filler.count) > 0 {}
        _ = fcntl(pipe.write, F_SETFL, flags)
        return pipe
    }

    /// Reads until `text` was there.
    private static func read(_ pipe: Pipe, until text: String) -> String {
        var all = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !all.contains(text) {
            let count = Glibc.read(pipe.read, &buffer, buffer.count)
            guard count > 0 else { return all }
            all += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        return all
    }

    @Test(.timeLimit(.minutes(60)))
    func `nobody waits for a log that is not read, and what was lost is told when it is`() {
        let pipe = Self.fullPipe()
        let sink = LogSink(descriptor: pipe.write, capacity: 100)
        sink.line { $0.raw(",\"n\":1") }
        #expect(!sink.flush(within: .milliseconds(50)))
        for _ in 0..<1000 { sink.line { $0.raw(",\"n\":2") } }
        let lost = sink.lost
        #expect(lost > 900)
        sink.line(isUrgent: true) { $0.raw(",\"n\":\"why it ends\"") }
        #expect(sink.lost == lost)
        #expect(!sink.flush(within: .milliseconds(50)))
        let text = Self.read(pipe, until: "log lines were lost")
        #expect(text.contains("\"n\":\"why it ends\""))
        #expect(text.contains("\"message\":\"log lines were lost\",\"count\":\(lost)}"))
        #expect(sink.flush(within: .seconds(10)))
    }

    @Test func `counts lines that could not be written`() {
        let pipe = Pipe()
        close(pipe.read)
        defer { pipe.endWriting() }
        signal(SIGPIPE, SIG_IGN)
        let sink = LogSink(descriptor: pipe.write)
        for _ in 0..<3 { sink.line { $0.raw(",\"n\":1") } }
        #expect(sink.flush(within: .seconds(60)))
        #expect(sink.lost == 3)
    }

    @Test func `bounds the lines of refusals and of calls without an API client by status, and counts the rest`() throws
    {
        let time = Locked<UInt64>(5_000_000_000)
        let lines = try Self.lines { sink in
            let log = AccessLog(sink, refusalsPerSecond: 10, uptime: { time.withLock { $0 } })
            for _ in 0..<1000 { log.record(Self.exchange(status: 404)) }
            for _ in 0..<1000 { log.record(Self.exchange(status: 200)) }
            let notes = RequestNotes(RequestNotes.Values(caller: "shop"))
            for _ in 0..<20 { log.record(Self.exchange(status: 200, notes: notes)) }
            log.record(Self.exchange(status: 401))
            log.reportLeftOut()
            time.withLock { $0 += 1_000_000_000 }
            log.record(Self.exchange(status: 404))
            log.reportLeftOut()
        }
        func count(_ status: Int) -> Int {
            lines.count { $0["message"] as? String == "request" && $0["status"] as? Int == status }
        }
        #expect(count(404) == 11 && count(200) == 10 + 20 && count(401) == 1)
        let told = lines.filter { $0["message"] as? String == "requests without a line of their own" }
        #expect(told.map { $0["count"] as? Int } == [990, 990])
        #expect(told.map { $0["status"] as? Int } == [200, 404])
    }

    @Test func `writes numbers as JSON has them`() {
        var text = LogText()
        for value in [0, 7, 10, -35, Int.max, Int.min] {
            text.integer(value)
            text.raw(" ")
        }
        text.thousandths(5)
        text.raw(" ")
        text.thousandths(12_034)
        #expect(
            String(decoding: text.bytes, as: UTF8.self)
                == "0 7 10 -35 9223372036854775807 -9223372036854775808 0.005 12.034")
    }
}
