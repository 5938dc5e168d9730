#if canImport(Network)
    import Foundation
    import Network

    /// Calls that leave by the mobile network only, whatever else the device is connected to.
    /// `lock` guards `known`; the monitor is only started and cancelled.
    public final class CellularTransport: MobileNetworkTransport, @unchecked Sendable {
        private let monitor = NWPathMonitor(requiredInterfaceType: .cellular)
        private let lock = NSLock()
        private var known = MobileNetworkAvailability.unknown

        public init() {
            monitor.pathUpdateHandler = { [weak self] path in self?.changed(path.status) }
            monitor.start(queue: DispatchQueue(label: "holdfast.cellular.path"))
        }

        deinit {
            monitor.cancel()
        }

        /// Unknown until the system has told.
        public var availability: MobileNetworkAvailability {
            lock.lock()
            defer { lock.unlock() }
            return known
        }

        private func changed(_ status: NWPath.Status) {
            lock.lock()
            defer { lock.unlock() }
            switch status {
            case .satisfied: known = .yes
            case .unsatisfied: known = .no
            default: known = .unknown
            }
        }

        public func response(to request: HTTPRequest) async throws -> HTTPResponse {
            guard let host = request.url.host, let bytes = HTTPText.request(request) else { throw HTTPText.Malformed() }
            let isTLS = request.url.scheme?.lowercased() == "https"
            let parameters: NWParameters = isTLS ? .tls : .tcp
            parameters.requiredInterfaceType = .cellular
            // A proxy or relay of the device would leave by another network.
            parameters.preferNoProxies = true
            let port = NWEndpoint.Port(rawValue: UInt16(clamping: request.url.port ?? (isTLS ? 443 : 80))) ?? .https
            let connection = NWConnection(host: NWEndpoint.Host(host), port: port, using: parameters)
            let exchange = CellularExchange(connection, sending: bytes)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { exchange.begin($0) }
            } onCancel: {
                exchange.cancel()
            }
        }
    }

    /// One request and its response. Everything is touched on `queue` only.
    private final class CellularExchange: @unchecked Sendable {
        private let queue = DispatchQueue(label: "holdfast.cellular")
        private let connection: NWConnection
        private let request: Data
        private var received = Data()
        private var continuation: CheckedContinuation<HTTPResponse, any Error>?
        private var isCancelled = false

        init(_ connection: NWConnection, sending request: Data) {
            self.connection = connection
            self.request = request
        }

        func begin(_ continuation: CheckedContinuation<HTTPResponse, any Error>) {
            queue.async { [self] in
                self.continuation = continuation
                if isCancelled { return end(.failure(CancellationError())) }
                connection.stateUpdateHandler = { [self] in changed($0) }
                connection.start(queue: queue)
            }
        }

        func cancel() {
            queue.async { [self] in
                isCancelled = true
                end(.failure(CancellationError()))
            }
        }

        private func changed(_ state: NWConnection.State) {
            switch state {
            case .ready:
                connection.send(
                    content: request,
                    completion: .contentProcessed { [self] in if let error = $0 { end(.failure(error)) } })
                receive()
            // Waiting means that there is no mobile network, or that it is not let through.
            case .waiting: end(.failure(NoMobileNetwork()))
            case .failed(let error): end(.failure(error))
            default: break
            }
        }

        private func receive() {
            connection.receive(minimumIncompleteLength: 1, maximumLength: 65_536) { [self] data, _, isAll, error in
                if let error { return end(.failure(error)) }
                received.append(data ?? Data())
                do {
                    guard let response = try HTTPText.response(received, isAll: isAll) else { return receive() }
                    end(.success(response))
                } catch {
                    end(.failure(error))
                }
            }
        }

        private func end(_ result: Result<HTTPResponse, any Error>) {
            continuation?.resume(with: result)
            continuation = nil
            connection.stateUpdateHandler = nil
            connection.cancel()
        }
    }
#endif
