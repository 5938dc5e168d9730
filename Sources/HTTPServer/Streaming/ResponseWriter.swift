/// Writes the content of a streamed response.
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

    /// The server is shutting down: `write` should return. Writes fail from now on.
    package var isDraining: Bool {
        if case .connection(let stream) = target { stream.isDraining } else { false }
    }

    /// Sends `bytes`, in HTTP/1.1 as their own chunk; an empty array sends nothing. Suspends while more than
    /// `Limits.maxOutputBytes` waits for the peer. One write at a time, on the loop of the request.
    ///
    /// - Throws: `.closed`, `.draining`. Every later write then fails too.
    package func write(_ bytes: [UInt8]) async throws(StreamEnd) {
        switch target {
        case .connection(let stream): try await stream.write(bytes)
        case .sink(let sink): try await sink(bytes)
        }
    }
}
