import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Calls by `URLSession`.
public final class URLSessionTransport: HTTPTransport {
    /// More than any answer of the server has.
    fileprivate static let mostBytes = 1 << 20
    /// Longer than any call is waited for: the run gives up first.
    private static let timeoutSeconds = 60.0

    private let receiver: Receiver
    private let session: URLSession

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = Self.timeoutSeconds
        let receiver = Receiver()
        self.receiver = receiver
        session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    }

    deinit {
        session.invalidateAndCancel()
    }

    public func response(to request: HTTPRequest) async throws -> HTTPResponse {
        var native = URLRequest(url: request.url)
        native.httpMethod = request.method
        native.httpBody = request.body
        for (name, value) in request.headers { native.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: native)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                receiver.expect(task, continuation)
                // One that was cancelled before it began fails all the same when it is resumed.
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// Collects answers. `lock` guards `pending`.
private final class Receiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Pending {
        let continuation: CheckedContinuation<HTTPResponse, any Error>
        var body = Data()
    }

    private let lock = NSLock()
    private var pending: [Int: Pending] = [:]

    func expect(_ task: URLSessionTask, _ continuation: CheckedContinuation<HTTPResponse, any Error>) {
        lock.lock()
        defer { lock.unlock() }
        pending[task.taskIdentifier] = Pending(continuation: continuation)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.lock()
        pending[dataTask.taskIdentifier]?.body.append(data)
        let isTooMuch = pending[dataTask.taskIdentifier]?.body.count ?? 0 > URLSessionTransport.mostBytes
        lock.unlock()
        if isTooMuch { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        lock.lock()
        let done = pending.removeValue(forKey: task.taskIdentifier)
        lock.unlock()
        guard let done else { return }
        guard error == nil, let response = task.response as? HTTPURLResponse else {
            return done.continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
        var headers: [String: String] = [:]
        for case let (name as String, value as String) in response.allHeaderFields { headers[name] = value }
        done.continuation.resume(
            returning: HTTPResponse(status: response.statusCode, headers: headers, body: done.body))
    }
}
