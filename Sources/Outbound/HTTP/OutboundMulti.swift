internal import CCurl
internal import Locks
internal import Possession

/// libcurl's set of running calls, with the connections they share. Everything except `wake` is for the loop's thread.
final class OutboundMulti: @unchecked Sendable {
    // Sendable: other threads use the handle only in `wake`, and the loop's thread replaces it under the same lock.
    private var handle: UnsafeMutableRawPointer
    private let exchange = Locked(false)
    private let limits: OutboundLimits
    private static let isStarted = ccurl_start() == CURLE_OK

    /// `nil`: libcurl is out of memory, or cannot start.
    init?(_ limits: OutboundLimits) {
        guard Self.isStarted, let handle = Self.make(limits) else { return nil }
        self.handle = handle
        self.limits = limits
    }

    deinit {
        curl_multi_cleanup(handle)
    }

    private static func make(_ limits: OutboundLimits) -> UnsafeMutableRawPointer? {
        guard let handle = curl_multi_init() else { return nil }
        if ccurl_multi_set_number(handle, CURLMOPT_MAXCONNECTS, limits.keptConnections) == CURLM_OK { return handle }
        curl_multi_cleanup(handle)
        return nil
    }

    /// Ends the current wait of the thread, or its next one. Any thread may call it.
    func wake() {
        exchange.withLock { _ in _ = curl_multi_wakeup(handle) }
    }

    func add(_ transfer: OutboundTransfer) -> Bool {
        curl_multi_add_handle(handle, transfer.handle) == CURLM_OK
    }

    func remove(_ transfer: OutboundTransfer) {
        curl_multi_remove_handle(handle, transfer.handle)
    }

    func perform() {
        var running: Int32 = 0
        curl_multi_perform(handle, &running)
    }

    /// The next call that libcurl has finished.
    func nextDone() -> (transfer: OutboundTransfer, result: CURLcode)? {
        var result = CURLE_OK
        guard let owner = ccurl_next_done(handle, &result) else { return nil }
        return (OutboundTransfer.named(owner), result)
    }

    /// Waits until there is work, at most for `longest`.
    func wait(_ longest: Duration) {
        // One millisecond more, so that a wait never ends just before its time.
        curl_multi_poll(handle, nil, 0, Int32(clamping: max(0, longest.wholeMilliseconds + 1)), nil)
    }

    /// Closes all connections. Call while no call is running.
    func closeConnections() {
        guard let fresh = Self.make(limits) else { return }
        let old = exchange.withLock { _ in
            let old = handle
            handle = fresh
            return old
        }
        curl_multi_cleanup(old)
    }
}
