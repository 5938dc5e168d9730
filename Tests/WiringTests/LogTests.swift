import Foundation
import Logging
import Testing

@testable import HTTPServer
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

        /// Everything written; closes both ends.
        func contents() -> [UInt8] {
            close(write)
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
        sink.flush()
        let text = String(decoding: pipe.contents(), as: UTF8.self)
        return try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    static func exchange(id: String = "r-1", method: HTTPServer.Method = .post, peer: String = "127.0.0.1") -> Exchange
    {
        Exchange(
            method: method, routePattern: "/v3/unify", status: 200, duration: .microseconds(1234), bytesIn: 10,
            bytesOut: 20,
            requestID: id, peer: PeerAddress(IPAddress(peer)),
            isDelivered: true)
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
            AccessLog(sink).record(Self.exchange(id: text, method: .other(text), peer: text))
        }
        try #require(lines.count == 2)
        #expect(lines[0]["message"] as? String == text)
        #expect(Set(lines[0].keys) == ["time", "level", "message", "context"])
        let context = try #require(lines[0]["context"] as? [String: Any])
        #expect(context[text] as? String == text)
        #expect((context["own"] as? [Any])?.first as? String == text)
        #expect(lines[1]["requestId"] as? String == text)
        #expect(lines[1]["method"] as? String == "other")
        #expect(lines[1].count == 11)
    }

    @Test func `writes no raw control character but the line ends`() {
        let pipe = Pipe()
        let sink = LogSink(descriptor: pipe.write)
        for text in Self.hostile { AccessLog(sink).record(Self.exchange(id: text)) }
        sink.flush()
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

    @Test func `drops lines over its capacity and says how many`() throws {
        let pipe = Pipe()
        let sink = LogSink(descriptor: pipe.write, capacity: 1)
        sink.line { $0.raw(",\"n\":1") }
        // The first one may be on its way already; the rest finds the buffer full at most until it is.
        for _ in 0..<1000 { sink.line { $0.raw(",\"n\":2") } }
        let dropped = sink.dropped
        #expect(dropped > 0)
        sink.flush()
        sink.line { $0.raw(",\"n\":3") }
        sink.flush()
        let text = String(decoding: pipe.contents(), as: UTF8.self)
        #expect(text.contains("\"message\":\"log lines were dropped\",\"count\":"))
        #expect(text.contains("\"n\":3"))
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
