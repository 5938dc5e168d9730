package import Sandbox
package import HTTPServer
package import Possession
package import SurfaceKit

/// What developers and tests call (contract section 4). Exists in sandbox mode only, and asks nobody who they are.
package struct SandboxSurface: Sendable {
    private let engine: Engine
    private let hosts: SandboxHosts
    private let listMessages: ListMessages
    private let readClock: ReadClock
    private let moveClock: MoveClock
    private let listUsers: ListUsers
    private let listSessions: ListSessions
    private let readTimeline: ReadTimeline
    private let completeSession: CompleteSession

    /// What the inbox publishes on `waits` when a message is sent.
    package static let messagesKey = ListMessages.key

    /// Stores where the clock stands, so that a restart does not set it back; returns when that is durable.
    package typealias KeepClock = @Sendable () async throws(StorageFault) -> Void

    /// - Parameters:
    ///   - publicURLs: under whose hosts the surface may be called, beside those that nobody can register.
    ///   - places: how many may wait for a message at a time.
    package init(
        engine: Engine, publicURLs: [String] = [], places: WaitingPlaces = WaitingPlaces(), inbox: any SandboxInbox,
        clock: any SandboxClock, keepClock: @escaping KeepClock,
        users: SandboxUsers, waits: WaitList
    ) {
        let service = SessionAdministration(engine)
        self.engine = engine
        hosts = SandboxHosts(urls: publicURLs)
        listMessages = ListMessages(
            inbox: inbox, numbers: engine.numbers, users: users, waits: waits, places: places)
        readClock = ReadClock(clock: clock)
        moveClock = MoveClock(clock: clock, keep: keepClock, waits: waits)
        listUsers = ListUsers(users: users)
        listSessions = ListSessions(service: service)
        readTimeline = ReadTimeline(service: service)
        completeSession = CompleteSession(service: service)
    }

    package var routes: [Route] {
        [
            route(.get, "/sandbox/messages", listMessages.respond),
            route(.get, "/sandbox/clock", readClock.respond),
            route(.post, "/sandbox/clock", moveClock.respond),
            route(.get, "/sandbox/users", listUsers.respond),
            route(.get, "/sandbox/sessions", listSessions.respond),
            route(.get, "/sandbox/sessions/{correlationId}", readTimeline.respond),
            route(.post, "/sandbox/sessions/{correlationId}/complete", completeSession.respond),
        ]
    }

    private func route(
        _ method: Method, _ pattern: String,
        _ respond: @escaping @Sendable (Request) async throws(SandboxError) -> Response
    ) -> Route {
        let tooLarge = SandboxError.body(.tooLarge(.short)).response
        let body = BodyRule(maxBytes: method == .post ? BodyBound.short.bytes : 0, tooLarge: { _ in tooLarge })
        return Route(method, pattern, body: body) { [engine, hosts] request in
            guard hosts.accept(request.host) else { return SandboxHosts.refusal }
            do throws(SandboxError) { return try await respond(request) } catch {
                if case .internalFault(let reason) = error { engine.report("request \(request.id): \(reason)") }
                return error.response
            }
        }
    }
}
