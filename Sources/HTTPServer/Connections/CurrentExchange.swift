/// Facts about the current request, for its answer and its log line.
struct CurrentExchange {
    /// Monotonic nanoseconds when the first byte arrived; 0 before.
    var startedAt: UInt64 = 0
    var bytesIn = 0
    var method: Method?
    var routePattern: String?
    var requestID = ""
    var notes: RequestNotes?
    var keepsAlive = false
    var isHTTP10 = false

    mutating func beginIfNeeded(at now: UInt64) {
        if startedAt == 0 { startedAt = now }
    }
}
