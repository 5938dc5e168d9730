/// Facts about the request at hand, for its answer and its log line.
struct CurrentExchange {
    /// Monotonic nanoseconds of the first byte; 0 before it.
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
