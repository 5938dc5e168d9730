internal import HTTPServer
internal import SurfaceKit

/// `GET /metrics`: the figures in Prometheus text format 0.0.4.
struct ReadMetrics: Sendable {
    let text: @Sendable () async -> String

    func respond(to request: Request) async -> Response {
        Response(
            status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
            body: Array(await text().utf8))
    }
}
