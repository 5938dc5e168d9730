package import Sandbox
package import HTTPServer
package import Engine
package import Possession
package import SurfaceKit
internal import Text

/// Calls of developers and tests (contract section 4). Exists only in sandbox mode, and needs no credentials.
package struct SandboxSurface: Sendable {
    private let engine: Engine
    private let service: SessionAdministration
    private let inbox: any SandboxInbox
    private let clock: any SandboxClock
    private let keepClock: KeepClock
    private let clockMoved: ClockMoved
    private let users: SandboxUsers
    private let applications: [SandboxApplication]
    private let waits: WaitList
    private let places: WaitingPlaces
    private let successCalls: [ProductName: String]
    private let demo = DemoFiles()
    private let receiver: WebhookReceiver

    /// All endpoints: their routes and their API description come from here.
    private static let calls: [SurfaceCall<SandboxSurface>] = [
        SurfaceCall {
            ListMessages(
                inbox: $0.inbox, numbers: $0.engine.network.numbers, users: $0.users, waits: $0.waits, places: $0.places
            )
        },
        SurfaceCall { ReadClock(clock: $0.clock) },
        SurfaceCall { MoveClock(clock: $0.clock, keep: $0.keepClock, moved: $0.clockMoved, waits: $0.waits) },
        SurfaceCall { ListUsers(users: $0.users, applications: $0.applications) },
        SurfaceCall { ListSessions(service: $0.service) },
        SurfaceCall { ReadTimeline(service: $0.service) },
        SurfaceCall { CompleteSession(service: $0.service, calls: $0.successCalls) },
        SurfaceCall { ListDeliveries(history: WebhookHistory($0.engine)) },
        SurfaceCall { TakeWebhook(receiver: $0.receiver, waits: $0.waits, places: $0.places) },
        SurfaceCall { ListTakenWebhooks(receiver: $0.receiver) },
        SurfaceCall { OpenDemo(files: $0.demo) },
        SurfaceCall { ReadDemoStyle(files: $0.demo) },
        SurfaceCall { ReadDemoScript(files: $0.demo) },
    ]

    /// The key that the inbox publishes on `waits` when a message is sent.
    package static let messagesKey = ListMessages.key
    /// The path on this server to which webhooks may be sent.
    package static let receiverPath = TakeWebhook.call.path

    /// Stores the offset of the clock, so that a restart does not reset it; returns when that is durable.
    package typealias KeepClock = @Sendable () async throws(EngineFault) -> Void
    /// Does the work that has become due, and returns when it is durable.
    package typealias ClockMoved = @Sendable () async -> Void

    /// - Parameters:
    ///   - places: limits how many may wait for a message at a time.
    ///   - successCalls: for each product whose sessions succeed only by a call of its own surface: that call, as the
    ///     end of a sentence.
    package init(
        engine: Engine, places: WaitingPlaces = WaitingPlaces(), inbox: any SandboxInbox,
        clock: any SandboxClock, keepClock: @escaping KeepClock, clockMoved: @escaping ClockMoved = {},
        users: SandboxUsers, applications: [SandboxApplication] = [],
        successCalls: [ProductName: String] = [:], waits: WaitList
    ) {
        self.engine = engine
        self.inbox = inbox
        self.clock = clock
        self.keepClock = keepClock
        self.clockMoved = clockMoved
        self.users = users
        self.applications = applications
        self.successCalls = successCalls
        self.waits = waits
        self.places = places
        service = SessionAdministration(engine)
        receiver = WebhookReceiver(now: { clock.now() })
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [SandboxSession.reply.named, ReadTimeline.reply.named, SandboxTime.reply.named])

    /// The part that tests of sessions need: the messages, and the clock.
    package static let inbox = SurfaceDescription(
        ListMessages.operations + ReadClock.operations + MoveClock.operations, schemas: [SandboxTime.reply.named])

    fileprivate func routes<E: SandboxEndpoint>(_ endpoint: E) -> [Route] {
        let known = E.operations.flatMap(\.parameters).filter { $0.place == .query }.map(\.field.name)
        // The URL of the demo's page may contain parameters from other programs.
        let isStrict = E.call.path.utf8.starts(with: "/sandbox/".utf8)
        return SurfaceRoute<E>(report: engine.reports.log).routes { request, form throws(SandboxError) in
            if isStrict, let defect = Self.unknownParameter(of: request, known) { throw .field(defect) }
            if isStrict { try Self.refuseUnknownMembers(of: request, E.self) }
            try endpoint.check(request)
            return try await endpoint.answer(request, from: Nothing(), form)
        }
    }

    /// Otherwise, a test that misspells a member would pass for the wrong reason.
    private static func refuseUnknownMembers<E: SandboxEndpoint>(
        of request: Request, _ endpoint: E.Type
    ) throws(SandboxError) {
        guard E.call.body.presence == .required || E.call.body.presence == .optional else { return }
        let fields: FieldReader
        do throws(BodyDefect) { fields = try E.call.body.reader(of: request) } catch { throw SandboxError(error) }
        do throws(FieldDefect) { try fields.refuseOthers(than: E.body.names) } catch { throw SandboxError(error) }
    }

    /// An unknown filter would match everything, and the test would pass for the wrong reason. A name is repeated in
    /// the error only if it is a plain one.
    private static func unknownParameter(of request: Request, _ known: [String]) -> FieldDefect? {
        let names = Array(request.rawQuery.utf8).split(separator: UInt8(ascii: "&")).lazy.map { pair -> String in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            // Longer than every known name, even if all its bytes are percent-encoded.
            guard name.count <= 96 else { return "?" }
            return PercentCoding.decode(name)
                .flatMap { String(validating: $0, as: UTF8.self) } ?? "?"
        }
        guard let stranger = names.first(where: { name in !known.contains { $0.isSame(as: name) } }) else { return nil }
        let isPlain =
            (1...32).contains(stranger.utf8.count)
            && stranger.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
        let all = known.isEmpty ? "this call has none" : "this call has \(known.joined(separator: ", "))"
        return FieldDefect(isPlain ? stranger : "?", "is not a query parameter: \(all)")
    }
}

extension SurfaceCall<SandboxSurface> {
    fileprivate init<E: SandboxEndpoint>(_ make: @escaping @Sendable (SandboxSurface) -> E) {
        self.init(E.operations) { $0.routes(make($0)) }
    }
}

extension SurfaceName {
    static let sandbox = SurfaceName(
        "Sandbox", about: "For developers and tests. There in sandbox mode only, and not authenticated.")
}
