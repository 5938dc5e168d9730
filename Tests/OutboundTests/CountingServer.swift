import Glibc
import Locks

/// A listening socket with a thread for each connection: it counts what comes, and answers each request of a connection as
/// its script says.
final class CountingServer: Sendable {
    enum Answer: Sendable {
        case bytes(String)
        /// Writes them, possibly none, and closes.
        case last(String)
        /// Writes the start, and then the piece again and again, until the peer goes.
        case drip(String, then: String)
        /// Waits until the peer goes.
        case nothing
    }

    enum Event: Sendable { case connection, request, end }

    static let ok = Answer.bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    let port: Int
    var base: String { "http://127.0.0.1:\(port)/" }
    var connections: Int { listening.seen.withLock { $0.filter { $0 == .connection }.count } }
    var requests: Int { listening.seen.withLock { $0.filter { $0 == .request }.count } }
    /// The heads of all requests, in the order in which they came.
    var heads: [String] { listening.heads.withLock { $0 } }
    private let descriptor: Int32
    private let listening: Listening

    /// - Parameter answer: the answer to a request by its number on its connection, from 0.
    init(_ answer: @escaping @Sendable (Int) -> Answer) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 256) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw PlainServer.Failed() }
        port = Int(UInt16(bigEndian: address.sin_port))
        let listening = Listening(answer)
        self.listening = listening
        Self.thread {
            while true {
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { break }
                listening.note(.connection)
                Self.thread { listening.serve(peer) }
            }
            close(descriptor)
        }
    }

    /// Ends `accept` on the thread.
    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Returns once there have been so many of the event.
    func wait(for count: Int, _ event: Event) async {
        for await seen in listening.progress() where seen.filter({ $0 == event }).count >= count { return }
    }

    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { context in
                context.map { Unmanaged<Job>.fromOpaque($0) }?.takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(Job(body)).toOpaque())
        precondition(failure == 0, "no thread for a test's server")
        pthread_detach(thread)
    }

    private final class Listening: Sendable {
        let seen = Locked<[Event]>([])
        let heads = Locked<[String]>([])
        private let watchers = Locked<[AsyncStream<[Event]>.Continuation]>([])
        private let answer: @Sendable (Int) -> Answer

        init(_ answer: @escaping @Sendable (Int) -> Answer) {
            self.answer = answer
        }

        func note(_ event: Event) {
            let all = seen.withLock { seen in
                seen.append(event)
                return seen
            }
            for watcher in watchers.withLock({ $0 }) { watcher.yield(all) }
        }

        func progress() -> AsyncStream<[Event]> {
            let (stream, watcher) = AsyncStream.makeStream(of: [Event].self)
            watchers.withLock { $0.append(watcher) }
            watcher.yield(seen.withLock { $0 })
            return stream
        }

        func serve(_ peer: Int32) {
            var buffer = [UInt8](repeating: 0, count: 4096)
            var head: [UInt8] = []
            var number = 0
            while true {
                let count = read(peer, &buffer, buffer.count)
                guard count > 0 else { break }
                head += buffer.prefix(count)
                // The requests of these tests have no body.
                guard head.suffix(4).elementsEqual("\r\n\r\n".utf8) else { continue }
                let text = String(decoding: head, as: UTF8.self)
                heads.withLock { $0.append(text) }
                head = []
                note(.request)
                guard respond(answer(number), to: peer) else { break }
                number += 1
            }
            close(peer)
            note(.end)
        }

        private func respond(_ answer: Answer, to peer: Int32) -> Bool {
            switch answer {
            case .bytes(let text): return write(text, to: peer)
            case .last(let text):
                _ = write(text, to: peer)
                return false
            case .drip(let start, let piece):
                guard write(start, to: peer) else { return false }
                while write(piece, to: peer) {
                    var waiting = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
                    if poll(&waiting, 1, 1) != 0 { return false }
                }
                return false
            case .nothing: return true
            }
        }

        private func write(_ text: String, to peer: Int32) -> Bool {
            let bytes = Array(text.utf8)
            return send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
    }
}
