import Locks
import Testing

@testable import HTTPServer

/// Streams for the tests, and ways to watch them.
extension Fixture {
    private static let streamFields = [(name: "Content-Type", value: "text/plain")]

    static func stream(_ pattern: String, _ write: @escaping Response.Stream) -> Route {
        Route(.get, pattern) { _ in .stream(status: 200, headers: streamFields, write: write) }
    }

    /// End of a stream, as its handler sees it.
    static func outcome(_ write: () async throws(StreamEnd) -> Void) async -> String {
        do throws(StreamEnd) {
            try await write()
            return "complete"
        } catch {
            return "\(error)"
        }
    }

    /// Waits for what a handler does, by looking again and again.
    static func until(_ isSo: () -> Bool) async throws {
        for _ in 0..<60_000 where !isSo() { try await Task.sleep(for: .milliseconds(10)) }
        try #require(isSo())
    }

    /// `/endless` writes 16 KiB at a time until it cannot, and counts.
    static func endless(_ written: Locked<Int>, _ end: Locked<String?>) -> Route {
        stream("/endless") { (writer) throws(StreamEnd) in
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 16 * 1024)
            let outcome = await outcome { () throws(StreamEnd) in
                while true {
                    try await writer.write(piece)
                    written.withLock { $0 += piece.count }
                }
            }
            end.withLock { $0 = outcome }
            throw .failed
        }
    }

    /// Waits until the number stands still while the loop takes turns.
    static func untilStill(_ number: Locked<Int>, _ client: TestClient) async throws {
        var last = -1
        var repeats = 0
        while repeats < 50 {
            #expect(try client.exchange(Fixture.get("/hello"))?.status == 200)
            let now = number.withLock { $0 }
            repeats = now == last && now > 0 ? repeats + 1 : 0
            last = now
        }
    }
}
