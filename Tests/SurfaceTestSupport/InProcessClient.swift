import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
@testable import HTTPServer
import Possession
import StrictJSON
import TestSupport

/// Calls routes without a socket, on a real event loop, so that a long poll waits as it does in the server. On a clock
/// that stands still nothing ends because its time is over: what comes to an end was woken.
final class InProcessClient: Sendable {
    let routes: [Route]
    private let router: Router
    private let loop: EventLoop
    private let check: @Sendable (Response, Request) -> Void

    /// - Parameter check: is shown every answer of a route.
    init(
        _ routes: [Route], areas: [Area] = [], manualClock: ManualClock? = nil,
        check: @escaping @Sendable (Response, Request) -> Void = OpenAPIAnswers.check
    ) throws {
        self.routes = routes
        self.check = check
        router = Router(routes, areas: areas)
        loop = try EventLoop(name: "in-process", manualClock: manualClock)
        loop.start()
    }

    deinit {
        loop.stop()
    }

    /// Turns that the loop has taken: in each, other requests get to run.
    var turns: Int { loop.turns }

    /// Until something on the loop waits for its time.
    func untilTimer() async {
        while await !loop.hasTimers() { await Task.yield() }
    }

    /// Fires what is due once the still clock was moved.
    func catchUp() async { await loop.catchUp() }

    /// Does with the request as the engine would: finds the route and runs it, or answers itself. The answer of a route
    /// must be as the API description has it.
    func send(_ request: Request) async -> Response {
        var request = request
        switch router.match(request.method, path: Array(request.path.utf8)[...]) {
        case .found(let route, let parameters):
            request.parameters = parameters
            request.routePattern = route.pattern
            let ready = request
            let response = await Task(executorPreference: loop) { await route.respond(ready) }.value
            check(response, ready)
            return response
        case .options(let allow):
            return Response(status: 204, headers: [("Allow", allow.map(\.text).joined(separator: ", "))])
        case .failed(let failure, nil): return failureResponse(failure)
        case .failed(let failure, let area?):
            let (route, ready) = (area.route(request.method, failure), request)
            return await Task(executorPreference: loop) { await route.respond(ready) }.value
        }
    }

    /// Processor time of finding the route and running it, in nanoseconds; other threads do not count.
    func cost(of request: Request) async -> UInt64 {
        let router = router
        return await Task(executorPreference: loop) {
            var request = request
            let start = ProcessorTime.ofThread()
            if case .found(let route, let parameters) = router.match(
                request.method, path: Array(request.path.utf8)[...])
            {
                request.parameters = parameters
                _ = await route.respond(request)
            }
            return ProcessorTime.ofThread() - start
        }.value
    }

    /// Writes the content of a streamed response, as the server does once the head is on its way. A peer that goes
    /// away is played by cancelling the caller.
    /// - Returns: `nil` when it came to its proper end.
    func write(
        _ response: Response, to sink: @escaping @Sendable ([UInt8]) async throws(StreamEnd) -> Void
    ) async -> StreamEnd? {
        guard let stream = response.stream else { return .failed }
        let writing = Task(executorPreference: loop) { () -> StreamEnd? in
            do throws(StreamEnd) {
                try await stream(ResponseWriter(sink: sink))
                return nil
            } catch {
                return error
            }
        }
        return await withTaskCancellationHandler {
            await writing.value
        } onCancel: {
            writing.cancel()
        }
    }

    /// Answer of the route to the head, before the body (`Expect: 100-continue`).
    func answerToHead(_ request: Request) -> Response? {
        guard case .found(let route, _) = router.match(request.method, path: Array(request.path.utf8)[...]) else {
            return nil
        }
        return route.body.refusal(ofHead: request)
    }
}

extension Response {
    var json: JSONObject { (try? JSONObject.parse(body)) ?? JSONObject() }
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
