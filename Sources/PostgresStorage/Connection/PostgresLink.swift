internal import CPostgres
internal import Glibc

/// The wire to one PostgreSQL, in pipeline mode and without blocking calls of libpq after the connect. While it sends,
/// it also receives: otherwise a long pipeline and its results could fill the buffers of both sides and wait for ever.
final class PostgresLink {
    private let handle: OpaquePointer
    /// The timeline of the primary.
    let timeline: Timeline
    /// The server has sent a warning.
    var hasWarning = false
    /// Milliseconds without a byte after which the connection counts as lost.
    var longestSilence = PostgresLink.usualSilence
    static let usualSilence: Int32 = 2000

    init(_ address: PostgresAddress) throws(PostgresFailure) {
        let (handle, timeline) = try address.connect()
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            PQfinish(handle)
            throw .lost("connect")
        }
        self.handle = handle
        self.timeline = timeline
        PQsetNoticeReceiver(
            handle,
            { link, result in
                guard let link, let severity = PQresultErrorField(result, PostgresResult.severity) else { return }
                guard String(cString: severity) == "WARNING" else { return }
                Unmanaged<PostgresLink>.fromOpaque(link).takeUnretainedValue().hasWarning = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { PQfinish(handle) }

    // MARK: Sending

    func prepare(_ name: String, _ text: String, _ types: [Oid]) throws(PostgresFailure) {
        try check(PQsendPrepare(handle, name, text, Int32(types.count), types), "prepare")
    }

    func execute(_ name: String, _ arguments: Arguments) throws(PostgresFailure) {
        let code = arguments.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
        try check(code, "execute")
    }

    func send(_ command: String) throws(PostgresFailure) {
        try check(PQsendQueryParams(handle, command, 0, nil, nil, nil, nil, 1), "send")
    }

    /// Asks for the results of the statements sent so far; the pipeline goes on.
    func askForResults() throws(PostgresFailure) {
        try check(PQsendFlushRequest(handle), "flush request")
        try flush()
    }

    /// Ends the pipeline, and asks for the results. After a failure PostgreSQL skips all statements up to here.
    func sync() throws(PostgresFailure) {
        try check(PQpipelineSync(handle), "sync")
        try flush()
    }

    private func check(_ code: Int32, _ operation: String) throws(PostgresFailure) {
        guard code == 1 else { throw .lost(operation) }
    }

    private func flush() throws(PostgresFailure) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1: try wait(for: Int16(POLLIN | POLLOUT))
            default: throw .lost("send")
            }
        }
    }

    // MARK: Receiving

    /// The result of the next statement, which may be a failure.
    func nextResult() throws(PostgresFailure) -> PostgresResult {
        guard let handle = try receive() else { throw .lost("no result") }
        let result = PostgresResult(handle)
        // A null pointer follows the results of each statement.
        guard try receive() == nil else { throw .lost("two results") }
        return result
    }

    func readSync() throws(PostgresFailure) {
        guard let handle = try receive() else { throw .lost("no sync") }
        guard PostgresResult(handle).status == PGRES_PIPELINE_SYNC else { throw .lost("no sync") }
    }

    private func receive() throws(PostgresFailure) -> OpaquePointer? {
        while PQisBusy(handle) == 1 { try wait(for: Int16(POLLIN)) }
        return PQgetResult(handle)
    }

    private func wait(for events: Int16) throws(PostgresFailure) {
        var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        let count = poll(&descriptor, 1, longestSilence)
        if count < 0 && errno == EINTR { return }
        guard count > 0 else { throw .lost("no byte for \(longestSilence) ms") }
        if descriptor.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
            guard PQconsumeInput(handle) == 1 else { throw .lost("receive") }
        }
    }
}
