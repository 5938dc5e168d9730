import HTTPServer
import Possession
import StrictJSON
import TestSupport

@testable import SurfaceTestSupport

/// One stream of states, read as a client does: piece by piece, in the order they were written.
final class EventStream: Sendable {
    let head: Response
    private let pieces: AsyncStream<String>
    private let running: Task<StreamEnd?, Never>

    /// Runs the stream. `head.stream` is `nil` when the call was refused; then there are no pieces.
    init(_ world: World, _ head: Response) {
        self.head = head
        let (pieces, continuation) = AsyncStream<String>.makeStream()
        self.pieces = pieces
        running = Task {
            let end = await world.client.write(head) { (bytes) throws(StreamEnd) in
                continuation.yield(String(decoding: bytes, as: UTF8.self))
            }
            continuation.finish()
            return end
        }
    }

    deinit {
        running.cancel()
    }

    /// The next piece, as soon as it is written; `nil` when the stream has ended.
    func next() async -> String? {
        var iterator = pieces.makeAsyncIterator()
        return await iterator.next()
    }

    /// The next event.
    func event() async -> Event? {
        await next().flatMap { Event($0) }
    }

    /// The peer goes away.
    func leave() { running.cancel() }

    /// How the stream ends: `nil` is its proper end.
    func end() async -> StreamEnd? { await running.value }

    /// `event: state`, `id: n`, `data: {...}`, in this order and in nothing but one line each.
    struct Event: Sendable {
        let id: Int64
        let state: JSONObject

        init?(_ text: String) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.count == 5, lines[0] == "event: state", lines[1].hasPrefix("id: "),
                lines[2].hasPrefix("data: {"), lines[3].isEmpty, lines[4].isEmpty, !text.contains("\r"),
                let id = Int64(lines[1].dropFirst(4)),
                let state = try? JSONObject.parse(Array(lines[2].dropFirst(6).utf8))
            else { return nil }
            self.id = id
            self.state = state
        }
    }
}

extension App {
    private static let eventsPath = "/client/v1/session/events"

    func askForEvents(_ more: [(name: String, value: String)] = []) async -> Response {
        let path = Self.eventsPath
        return await world.client.send(
            Request(method: .get, path: path, headers: Headers(headers("GET", path) + more), id: "q"))
    }

    /// A stream whose first piece, the time to wait before a new try, was read.
    func events(after lastEventID: String? = nil) async -> EventStream {
        let more = lastEventID.map { [(name: "Last-Event-ID", value: $0)] } ?? []
        let stream = EventStream(world, await askForEvents(more))
        _ = await stream.next()
        return stream
    }
}
