internal import HTTPServer
internal import SurfaceKit

/// `GET /metrics`: the metrics in Prometheus text format 0.0.4.
///
///     ->  200, # HELP holdfast_...
struct ReadMetrics: OperationsEndpoint {
    let text: @Sendable () async -> String

    static let call = Call(.get, "/metrics", id: "readMetrics", "Figures", "Prometheus text format 0.0.4.")
    static let isForOperators = true
    static let isAlwaysAnswered = true
    static let reply = ResponseReply<String>([
        Answer(status: 200, about: "The figures.", content: Content(type: "text/plain", schema: .text()))
    ]) { text in
        Response(
            status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
            body: Array(text.utf8))
    }

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(OperationsError) -> String {
        await text()
    }
}
