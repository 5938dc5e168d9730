internal import Locks
internal import HTTPServer
internal import Possession
internal import StrictJSON

/// `GET /client/v1/session?after=6&wait=25`: the state, as soon as its `rev` is over `after`, or when the wait is over.
///
///     ->  200, the state
///
/// Without `after` it answers at once. A newer poll of the session releases the older one.
struct ReadSession: Sendable {
    let calls: ClientCalls
    let waits: WaitList
    let polls: LongPolls

    /// In seconds (client protocol 4.4).
    private static let maxWait = 25

    /// - Throws: `.invalidRequest`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let after: Int?
        let wait: Int
        do throws(FieldDefect) {
            after = try request.wholeNumber("after", in: 0...Int.max)
            wait = try request.wholeNumber("wait", in: 0...Self.maxWait) ?? 0
        } catch {
            throw ClientError(error)
        }
        guard let after, wait > 0 else { return try await read(caller).response }
        return try await poll(caller, after: after, for: .seconds(wait))
    }

    private func poll(
        _ caller: ClientCaller, after: Int, for duration: Duration
    ) async throws(ClientError) -> Response {
        let key = caller.authID.text
        let deadline = ContinuousClock.now.advanced(by: duration)
        // The interest is noted before the state is read, so that no change is missed.
        var ticket = waits.register(key)
        let first = try await read(caller)
        if first.isNews(after: after) { return first.response }
        // Only now is it known that the session's own client asks: a stranger must not release its poll.
        let (turn, replaces) = polls.begin(caller.authID)
        defer { polls.end(caller.authID, turn) }
        if replaces {
            waits.publish(key)
            ticket = waits.register(key)
        }
        while true {
            let outcome = await ticket.wait(for: deadline - ContinuousClock.now)
            ticket = waits.register(key)
            let session = try await look(caller)
            let isNews = session.revision > after || session.isDone
            if outcome != .published || isNews || !polls.isNewest(caller.authID, turn) {
                return .json(200, StateDocument(session).object)
            }
        }
    }

    private struct Reading: Sendable {
        let response: Response
        /// `nil` when the call was refused.
        let session: Session?

        func isNews(after revision: Int) -> Bool {
            guard let session else { return true }
            return session.revision > revision || session.isDone
        }
    }

    /// The first look, which uses up the proof.
    private func read(_ caller: ClientCaller) async throws(ClientError) -> Reading {
        let seen = Locked<Session?>(nil)
        let response = try await calls.perform(caller, nil) { [calls] call throws(ClientService.Fault) in
            let watched = ClientService.Call(authID: call.authID, credential: call.credential, retry: nil) {
                session, refusal in
                if refusal == nil { seen.withLock { $0 = session } }
                return call.render(session, refusal)
            }
            return try await calls.service.state(watched)
        }
        return Reading(response: response, session: seen.withLock { $0 })
    }

    private func look(_ caller: ClientCaller) async throws(ClientError) -> Session {
        do throws(ClientService.Fault) { return try await calls.service.look(at: caller.authID) } catch {
            throw ClientError(error)
        }
    }
}
