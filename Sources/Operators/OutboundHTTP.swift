internal import AsyncHTTPClient
import Glibc
internal import Locks
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Possession

/// The client of all calls that this server makes: HTTP/1.1, the system's certificate authorities, no redirects, no
/// proxy, no cookies. One thread of its own, which begins with the first call.
package final class OutboundHTTP: Sendable {
    private enum State {
        case idle
        case running(HTTPClient, MultiThreadedEventLoopGroup)
        case closed
    }

    private let connectTimeout: Duration
    private let state = Locked(State.idle)

    /// - Parameter connectTimeout: for connection and TLS handshake. A connection that is being made is not broken off:
    ///   `shutdown` may wait that long for it.
    package init(connectTimeout: Duration = .seconds(3)) {
        self.connectTimeout = connectTimeout
    }

    /// Ends its connections and its thread; calls under way fail as cancelled. It must have run before the value goes.
    package func shutdown() async {
        let last = state.withLock { state -> State in
            defer { state = .closed }
            return state
        }
        guard case .running(let client, let group) = last else { return }
        // Both fail only when they have been done before.
        try? await client.shutdown()
        try? await group.shutdownGracefully()
    }

    /// - Throws: `OutboundFault`, each of its cases.
    package func send(_ request: OutboundRequest) async throws(OutboundFault) -> OutboundResponse {
        let client = try client()
        // AsyncHTTPClient's own deadline ends with the response's head, ours with its body.
        let outcome = await withTaskGroup(of: Result<OutboundResponse, OutboundFault>?.self) { group in
            group.addTask { await Self.perform(request, with: client) }
            group.addTask {
                do { try await Task.sleep(for: request.timeout) } catch { return nil }
                return .failure(.timeout)
            }
            defer { group.cancelAll() }
            for await outcome in group {
                if let outcome { return outcome }
            }
            return .failure(.cancelled)
        }
        return try outcome.get()
    }

    private func client() throws(OutboundFault) -> HTTPClient {
        // Made under the lock, so that two first calls do not begin two threads.
        let client = state.withLock { state -> HTTPClient? in
            switch state {
            case .closed: return nil
            case .running(let client, _): return client
            case .idle:
                let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
                let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
                state = .running(client, group)
                return client
            }
        }
        guard let client else { throw .cancelled }
        return client
    }

    private var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            connectionPool: .init(idleTimeout: .seconds(30)),
            decompression: .disabled)
        configuration.timeout.connect = .nanoseconds(connectTimeout.wholeMilliseconds * 1_000_000)
        configuration.httpVersion = .http1Only
        // Waiting for a connection counts as waiting for the peer; with the library's 8 a slow one would look dead.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        configuration.tlsConfiguration = Self.tls
        // A caller that wants another try says so; a refused connection is told at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// TLS 1.2 and 1.3 with forward secrecy and authenticated encryption, and nothing older (HTTP-38).
    private static var tls: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // Of TLS 1.2; those of 1.3 are all of the kind.
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        return configuration
    }

    private static func perform(
        _ request: OutboundRequest, with client: HTTPClient
    ) async -> Result<OutboundResponse, OutboundFault> {
        var call = HTTPClientRequest(url: request.url)
        call.method = HTTPMethod(rawValue: request.method)
        for header in request.headers { call.headers.add(name: header.name, value: header.value) }
        if !request.body.isEmpty { call.body = .bytes(request.body) }
        do {
            let response = try await client.execute(call, deadline: .distantFuture)
            let body = try await response.body.collect(upTo: request.maxResponseBytes)
            return .success(
                OutboundResponse(
                    status: Int(response.status.code), headers: response.headers.map { ($0.name, $0.value) },
                    body: Array(buffer: body)))
        } catch {
            return .failure(fault(error))
        }
    }

    private static func fault(_ error: any Error) -> OutboundFault {
        switch error {
        case is NIOTooManyBytesError: return .tooLarge
        case is NIOConnectionError: return .connect
        case is CancellationError: return .cancelled
        // An address that needs no look-up fails with the bare error of `connect`.
        case let error as IOError:
            let isRefusal = [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH].contains(error.errnoCode)
            return isRefusal ? .connect : .failed(reason: "the connection broke (errno \(error.errnoCode))")
        case let error as HTTPClientError: return fault(error)
        case let error as ChannelError:
            if case .connectTimeout = error { return .timeout }
            return .failed(reason: "the connection broke")
        // What a peer sends can stand in the text of these errors: they are named, not quoted.
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError, is NIOTLSUnwrappingError:
            return .failed(reason: "TLS was not agreed on")
        case is HTTPParserError: return .failed(reason: "the answer is not HTTP")
        default: return .failed(reason: "the call broke off")
        }
    }

    private static func fault(_ error: HTTPClientError) -> OutboundFault {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
            .getConnectionFromPoolTimeout:
            .timeout
        case .cancelled, .alreadyShutdown: .cancelled
        default: .failed(reason: error.shortDescription)
        }
    }
}
