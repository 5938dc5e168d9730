internal import HTTPServer
internal import Locks
internal import Engine
internal import Possession
internal import SurfaceKit

/// Callers that wait for a session to change, by long poll or stream. A newer one for a session ends the older one
/// (client protocol 4.9). There is one entry for each session that is waited for.
final class SessionWatch: Sendable {
    private let calls: ClientCalls
    private let waits: WaitList
    /// `nil` if status calls are not limited (sandbox, contract section 8).
    private let polls: SessionPolls?
    private struct Watchers {
        /// The newest watcher of each session.
        var newest: [AuthID: Int] = [:]
        /// The last number given, over all sessions: no number is given twice.
        var turns = 0
    }

    private let watchers = Locked(Watchers())

    init(calls: ClientCalls, waits: WaitList) {
        self.calls = calls
        self.waits = waits
        polls = calls.engine.limits.overSessions == nil ? nil : SessionPolls()
    }

    /// The turn of one watcher.
    struct Turn: Sendable {
        fileprivate let session: AuthID
        fileprivate let number: Int
    }

    /// Replaces an older watcher, which is woken. Call it only once the caller is known to be the session's own client:
    /// a stranger must not end its wait.
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

    /// Registers interest in the next change; call it before the state is read.
    func register(_ caller: ClientCaller) -> WaitList.Ticket {
        waits.register(caller.authID.text)
    }

    /// Waits for a change, at most for `duration`, and at most until the session's next expiry.
    func wait(_ ticket: WaitList.Ticket, of session: Session?, for duration: Duration) async -> WaitList.Outcome {
        guard let expiry = session?.nextExpiry else { return await ticket.wait(for: duration) }
        let left = expiry.milliseconds - calls.engine.now().milliseconds
        guard left < duration.wholeMilliseconds else { return await ticket.wait(for: duration) }
        let outcome = await ticket.wait(for: .milliseconds(max(0, left)))
        return outcome == .timedOut ? .published : outcome
    }

    // MARK: Reading the state

    struct Reading: Sendable {
        let response: Response
        /// `nil` when the call was refused.
        let session: Session?

        func isNews(after revision: Int) -> Bool {
            guard let session else { return true }
            return session.revision > revision || session.isDone
        }
    }

    /// The first read, which uses up the proof. A long poll and a stream count as one read each (ABU-08). A read over
    /// the limit uses up no proof.
    func read(_ caller: ClientCaller) async throws(ClientError) -> Reading {
        if let hit = polls?.take(caller.authID, at: calls.engine.now()) {
            calls.engine.reports.recordLimit(hit.limit, nil)
            throw .refused(.rateLimited(hit))
        }
        let reply = try await calls.read(caller)
        guard let refusal = reply.refusal else {
            return Reading(response: .json(200, StateDocument(reply.session).object), session: reply.session)
        }
        return Reading(response: ClientError.refused(refusal).response(reply.session), session: nil)
    }

    /// The later reads.
    func session(of caller: ClientCaller) async throws(ClientError) -> Session {
        do throws(ClientAdmission.Fault) { return try await calls.admission.read(at: caller.authID) } catch {
            throw ClientError(error)
        }
    }
}
