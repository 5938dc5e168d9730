/// Where a streamed response is written to.
package struct ResponseWriter: Sendable {
    private enum Target: Sendable {
        case connection(ResponseStream)
        case sink(@Sendable ([UInt8]) async throws(StreamEnd) -> Void)
    }

    private let target: Target

    init(_ stream: ResponseStream) {
        target = .connection(stream)
    }

    /// A writer without a connection, for tests of surfaces.
    package init(sink: @escaping @Sendable ([UInt8]) async throws(StreamEnd) -> Void) {
        target = .sink(sink)
    }

    /// The server is about to end: time to return. Writes fail from now on.
    package var isDraining: Bool {
        if case .connection(let stream) = target { stream.isDraining } else { false }
    }

    /// Sends `bytes`, in HTTP/1.1 as a chunk of their own; none are nothing. Suspends while more than the limit
    /// (`Limits.maxOutputBytes`) waits for the peer. One write at a time, on the loop of the request.
    ///
    /// - Throws: `.closed`, `.draining`. It is of no use to write on then.
    package func write(_ bytes: [UInt8]) async throws(StreamEnd) {
        switch target {
        case .connection(let stream): try await stream.write(bytes)
        case .sink(let sink): try await sink(bytes)
        }
    }
}
