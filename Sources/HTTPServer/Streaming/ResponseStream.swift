/// A response that is being written piece by piece, between its head and its end.
///
///     open --full--> waiting --space--> open
///      |                |
///      +-- end, drain, connection closed --> ended
final class ResponseStream: @unchecked Sendable {
    // Sendable: all state is confined to the loop of `connection`.
    let status: Int
    /// The head announced that the connection ends with the response.
    let closes: Bool
    let isChunked: Bool
    private(set) var bytesOut: Int
    private let connection: Connection
    private var ending: StreamEnd?
    /// A write that is waiting for space in the output.
    private var continuation: UnsafeContinuation<Void, Never>?
    private var isWriting = false
    private var delivery: Delivery

    /// The most bytes copied to the output at a time. A longer write is split into several chunks, so that the output
    /// stays bounded.
    private static let maxPieceBytes = 64 * 1024

    init(_ connection: Connection, status: Int, headBytes: Int, closes: Bool, isChunked: Bool) {
        self.connection = connection
        self.status = status
        self.closes = closes
        self.isChunked = isChunked
        bytesOut = headBytes
        delivery = Delivery(connection.transport, term: connection.worker.limits.responseTimeout)
    }

    var isDraining: Bool {
        precondition(connection.worker.loop.isCurrent, "a stream stays on the loop of its request")
        return connection.worker.isDraining
    }

    // MARK: Writing

    func write(_ bytes: [UInt8]) async throws(StreamEnd) {
        precondition(connection.worker.loop.isCurrent, "a stream stays on the loop of its request")
        precondition(!isWriting, "one write at a time")
        isWriting = true
        defer { isWriting = false }
        try checkNotEnded()
        var rest = bytes[...]
        while !rest.isEmpty {
            append(rest.prefix(ResponseStream.maxPieceBytes))
            rest = rest.dropFirst(ResponseStream.maxPieceBytes)
            if connection.isOutputFull { await waitForSpace() }
            try checkNotEnded()
        }
    }

    private func checkNotEnded() throws(StreamEnd) {
        if let ending { throw ending }
        if connection.worker.isDraining { throw .draining }
    }

    private func append(_ piece: ArraySlice<UInt8>) {
        bytesOut += connection.write { output in
            if isChunked {
                ResponseEncoder.appendChunk(piece, into: &output)
            } else {
                output.append(contentsOf: piece)
            }
        }
    }

    private func waitForSpace() async {
        await withUnsafeContinuation { continuation = $0 }
    }

    private func wake() {
        continuation?.resume()
        continuation = nil
    }

    // MARK: Events of the connection

    /// The output was flushed, and the kernel took `taken` bytes of it.
    func flushed(_ taken: Int) {
        delivery.handedOver(taken, at: connection.worker.loop.now)
        if !connection.isOutputFull { wake() }
    }

    func drain() {
        wake()
    }

    /// The connection is closed; unsent bytes are lost.
    func connectionClosed() {
        bytesOut -= min(bytesOut, connection.unsentBytes)
        end()
    }

    /// The handler has finished, or its output is not needed: nothing is written from now on.
    func end() {
        ending = .closed
        wake()
    }

    /// Writes the end that tells a client that the content is complete.
    func complete() {
        if isChunked { bytesOut += connection.write { $0.append(contentsOf: ResponseEncoder.lastChunk) } }
    }

    // MARK: Delivery

    /// When to check whether the peer takes what the kernel holds for it.
    var due: UInt64 { delivery.due }

    /// True when the peer has taken enough to keep waiting. Called once `due` has passed.
    func isTaken() -> Bool {
        delivery.isTaken(at: connection.worker.loop.now)
    }
}
