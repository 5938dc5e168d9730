internal import HTTPServer
internal import Locks
internal import Possession
internal import SurfaceKit

/// Those who wait for a session to change, by long poll or stream. A newer one of a session releases the older (client
/// protocol 4.9). As many entries as sessions that are waited for.
final class SessionWatch: Sendable {
    private let calls: ClientCalls
    private let waits: WaitList
    /// `nil` where looks are not limited (sandbox, contract section 8).
    private let polls: SessionPolls?
    private struct Watchers {
        /// The newest of each session.
        var newest: [AuthID: Int] = [:]
        /// The last number given, over all sessions: no number is ever given twice.
        var turns = 0
    }

    private let watchers = Locked(Watchers())

    init(calls: ClientCalls, waits: WaitList) {
        self.calls = calls
        self.waits = waits
        polls = calls.engine.limits.overSessions == nil ? nil : SessionPolls()
    }

    /// One watcher's place.
    struct Turn: Sendable {
        fileprivate let session: AuthID
        fileprivate let number: Int
    }

    /// Takes the place of an older watcher, which is woken. To be called only once it is known that the session's own
    /// client asks: a stranger must not release its watcher.
    func begin(_ caller: ClientCaller) -> Turn {
        let (turn, replaces) = watchers.withLock { watchers in
            watchers.turns += 1
            let older = watchers.newest.updateValue(watchers.turns, forKey: caller.authID)
            return (Turn(session: caller.authID, number: watchers.turns), older != nil)
        }
        if replaces { waits.publish(caller.authID.text) }
        return turn
    }

    func isNewest(_ turn: Turn) -> Bool {
        watchers.withLock { $0.newest[turn.session] == turn.number }
    }

    func end(_ turn: Turn) {
        watchers.withLock { watchers in
            if watchers.newest[turn.session] == turn.number { watchers.newest[turn.session] = nil }
        }
    }

    /// Interest in the next change; to be noted before the state is read.
    func register(_ caller: ClientCaller) -> WaitList.Ticket {
        waits.register(caller.authID.text)
    }

    /// Waits for a change, no longer than `duration`, and no longer than until time itself changes the session.
    func wait(_ ticket: WaitList.Ticket, of session: Session?, for duration: Duration) async -> WaitList.Outcome {
        guard let expiry = session?.nextExpiry else { return await ticket.wait(for: duration) }
        let left = expiry.milliseconds - calls.engine.now().milliseconds
        guard left < duration.wholeMilliseconds else { return await ticket.wait(for: duration) }
        let outcome = await ticket.wait(for: .milliseconds(max(0, left)))
        return outcome == .timedOut ? .published : outcome
    }

    // MARK: the state

    struct Reading: Sendable {
        let response: Response
        /// `nil` when the call was refused.
        let session: Session?

        func isNews(after revision: Int) -> Bool {
            guard let session else { return true }
            return session.revision > revision || session.isDone
        }
    }

    /// The first look, which uses up the proof. A long poll and a stream count as one look each (ABU-08). A look that is
    /// one too many uses up no proof.
    func read(_ caller: ClientCaller) async throws(ClientError) -> Reading {
        if let hit = polls?.take(caller.authID, at: calls.engine.now()) {
            calls.engine.noteLimit(hit.limit, nil)
            throw .refused(.rateLimited(hit))
        }
        let reply = try await calls.look(caller)
        guard let refusal = reply.refusal else {
            return Reading(response: .json(200, StateDocument(reply.session).object), session: reply.session)
        }
        return Reading(response: ClientError.refused(refusal).response(reply.session), session: nil)
    }

    /// The later ones.
    func look(_ caller: ClientCaller) async throws(ClientError) -> Session {
        do throws(ClientAdmission.Fault) { return try await calls.admission.look(at: caller.authID) } catch {
            throw ClientError(error)
        }
    }
}
