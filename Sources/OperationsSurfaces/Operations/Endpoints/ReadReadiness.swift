internal import HTTPServer
internal import SurfaceKit

/// `GET /readyz`: whether a load balancer may send requests: the store reads and writes, tokens can be signed, the
/// files are in place, and the server is not shutting down (OPS-03).
///
///     ->  200 {"status":"ok"}  or  503 {"code":8000,"message":"the server is not ready: the disk is full"}
struct ReadReadiness: OperationsEndpoint {
    let notReady: @Sendable () async -> String?

    static let call = Call(
        .get, "/readyz", id: "readReadiness", "Whether requests may be sent here",
        "For balancers: the store answers, and the server is not draining.", answer: "Yes.")
    static let isProbe = true
    static let reply = Reply.ok

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(OperationsError) -> Nothing {
        if let reason = await notReady() { throw .notReady(reason) }
        return Nothing()
    }
}
