internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /client/v1/session/events`: the state after each change, as server-sent events, until the session is done
/// (client protocol 4.9).
///
///     retry: 3000
///
///     event: state
///     id: 6
///     data: {"authId":"...","rev":6, ...}
///
/// A comment every 15 s shows that the connection is alive. With `Last-Event-ID`, states that the client has already
/// seen are skipped. A newer stream or long poll of the session ends the older one.
struct StreamSession: ClientLook {
    let calls: ClientCalls
    let watch: SessionWatch
    let places: WaitingPlaces

    private static let heartbeat = Duration.seconds(15)
    private static let retryMilliseconds = 3000

    static let call = Call(
        .get, ClientDescription.path + "/events", id: "streamSession", "Follow the state",
        """
        Server-sent events: after each change one named state whose data is the state and whose id is its rev, until \
        the session is done. A comment every 15 s keeps the connection alive.
        """)
    static let parameters = Parameters<Nothing, ClientError> {
        ParameterMember.header(lastEvent, .integer(0...Int.max), "The last event that was seen.")
    }
    static let reply = ResponseReply<Response>([
        Answer(status: 200, about: "The stream.", content: Content(type: "text/event-stream", schema: .anything))
    ])

    private static let lastEvent = "Last-Event-ID"

    func respond(
        to nothing: Nothing, of request: Request, from caller: ClientCaller
    ) async throws(ClientError) -> Response {
        let seen = try Self.lastEventID(request)
        let first = try await watch.read(caller)
        guard let session = first.session else { return first.response }
        // Taken once the caller is known to be the session's client, and held until the stream ends or fails to begin.
        let place = try take(for: request)
        let headers = [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")]
        return .stream(status: 200, headers: headers) { (writer) throws(StreamEnd) in
            defer { place.giveBack() }
            try await writer.write(Array("retry: \(Self.retryMilliseconds)\n\n".utf8))
            try await send(session, from: caller, after: seen ?? -1, to: writer)
        }
    }

    private func take(for request: Request) throws(ClientError) -> WaitingPlaces.Place {
        do throws(WaitingPlaces.Refusal) { return try places.take(for: request) } catch { throw ClientError(error) }
    }

    private func send(
        _ first: Session, from caller: ClientCaller, after seen: Int, to writer: ResponseWriter
    ) async throws(StreamEnd) {
        let turn = watch.begin(caller)
        defer { watch.end(turn) }
        var seen = seen
        var session = first
        while true {
            if session.revision > seen || session.isDone {
                try await writer.write(Self.event(session))
                seen = session.revision
            }
            if session.isDone { return }
            // Registers interest before the state is read, so that no change is missed.
            let ticket = watch.register(caller)
            session = try await currentSession(of: caller)
            if session.revision > seen || session.isDone { continue }
            switch await watch.wait(ticket, of: session, for: Self.heartbeat) {
            case .published: break
            case .timedOut: try await writer.write(Array(": still here\n\n".utf8))
            case .cancelled: throw .closed
            case .draining: return
            }
            guard watch.isNewest(turn) else { return }
            session = try await currentSession(of: caller)
        }
    }

    private func currentSession(of caller: ClientCaller) async throws(StreamEnd) -> Session {
        do throws(ClientError) { return try await watch.session(of: caller) } catch {
            if case .internalFault(let reason) = error { calls.engine.reports.log("a stream of states: \(reason)") }
            throw .failed
        }
    }

    private static func event(_ session: Session) -> [UInt8] {
        Array("event: state\nid: \(session.revision)\ndata: ".utf8) + StateDocument(session).object.serialized()
            + Array("\n\n".utf8)
    }

    /// `nil` without the header, and for a value that the server never sends.
    private static func lastEventID(_ request: Request) throws(ClientError) -> Int? {
        guard let text = request.headers[lastEvent] else { return nil }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let id = Int(text) else {
            throw .invalidRequest("header '\(lastEvent)' must be the id of an event of this stream")
        }
        return id
    }
}
