internal import Dispatch
package import HTTPServer

/// One line for each finished request (OPS-05). It is written on the request's loop, so it only appends to a buffer.
///
///     {"time":"...","level":"info","message":"request","requestId":"...","method":"POST","route":"/v3/unify","status":200,
///      "durationMs":0.812,"bytesIn":312,"bytesOut":540,"peer":"127.0.0.1","client":"shop","correlationId":"0193..."}
///
/// `tls` is the TLS version of the connection, `error` the name or number of the error in the answer, `client` the API
/// client, `correlationId` the session's, and `address` the caller's behind a trusted proxy. Each is present if it is
/// known. None of them is text from a caller.
///
/// The route is the pattern, never the path as sent: IDs and other texts in the path stay out of the log (DAT-07).
package struct AccessLog: Sendable {
    private let sink: LogSink
    private let gate: RefusalGate

    /// - Parameters:
    ///   - refusalsPerSecond: most lines for each status, counting refusals and calls without a known API client; 0: no
    ///     limit.
    ///   - uptime: monotonic nanoseconds.
    package init(
        _ sink: LogSink, refusalsPerSecond: Int = 0,
        uptime: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
    ) {
        self.sink = sink
        gate = RefusalGate(limit: refusalsPerSecond, uptime: uptime)
    }

    /// Writes a line for each status whose requests were left out, once its second is over.
    package func reportLeftOut() {
        for (status, count) in gate.leftOut() {
            sink.line { text in
                text.raw(",\"level\":\"warning\",\"message\":\"requests without a line of their own\",\"status\":")
                text.integer(status)
                text.raw(",\"count\":")
                text.integer(count)
            }
        }
    }

    package func record(_ exchange: Exchange) {
        // Callers without credentials must not fill the disk: neither with refusals nor with calls that need no
        // credentials.
        let isOfClient = exchange.status < 400 && exchange.notes?.values.caller != nil
        guard isOfClient || gate.admits(exchange.status) else { return }
        sink.line { text in
            text.raw(",\"level\":\"info\",\"message\":\"request\",\"requestId\":")
            text.string(exchange.requestID)
            text.raw(",\"method\":")
            text.string(exchange.method.name)
            text.raw(",\"route\":")
            text.string(exchange.routePattern ?? "none")
            text.raw(",\"status\":")
            text.integer(exchange.status)
            text.raw(",\"durationMs\":")
            text.thousandths(exchange.duration.wholeMicroseconds)
            text.raw(",\"bytesIn\":")
            text.integer(exchange.bytesIn)
            text.raw(",\"bytesOut\":")
            text.integer(exchange.bytesOut)
            text.raw(",\"peer\":")
            text.string(exchange.peer.text)
            text.member(",\"tls\":", exchange.tls?.rawValue)
            text.member(",\"error\":", exchange.error)
            text.member(",\"reason\":", exchange.reason)
            if let notes = exchange.notes?.values {
                text.member(",\"address\":", notes.address)
                text.member(",\"client\":", notes.caller)
                text.member(",\"correlationId\":", notes.subject)
            }
            if !exchange.isDelivered { text.raw(",\"delivered\":false") }
        }
    }
}

extension Method? {
    /// A name from a bounded set, because callers choose the text of unknown methods.
    var name: String {
        switch self {
        case .other: "other"
        case nil: "none"
        case let method?: method.text
        }
    }
}

extension Duration {
    var wholeMicroseconds: Int {
        Int(clamping: attoseconds / 1_000_000_000_000)
    }

    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
