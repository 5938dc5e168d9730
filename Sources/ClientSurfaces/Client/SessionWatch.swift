internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Reads sessions for callers that wait for a change, by long poll or stream.
final class SessionWatch: Sendable {
    private let calls: ClientCalls
    private let watchers: SessionWatchers
    /// `nil` if status calls are not limited (sandbox, contract section 8).
    private let polls: SessionPolls?

    init(calls: ClientCalls, watchers: SessionWatchers) {
        self.calls = calls
        self.watchers = watchers
        polls = calls.engine.limits.overSessions == nil ? nil : SessionPolls()
    }

    /// Replaces an older watcher, which is woken. Call it only once the caller is known to be the session's own client:
    /// a stranger must not end its wait.
    func begin(_ caller: ClientCaller) -> SessionWatchers.Turn { watchers.begin(caller.authID) }

    func isNewest(_ turn: SessionWatchers.Turn) -> Bool { watchers.isNewest(turn) }

    func end(_ turn: SessionWatchers.Turn) { watchers.end(turn) }

    /// Registers interest in the next change; call it before the state is read.
    func register(_ caller: ClientCaller) -> WaitList.Ticket {
        watchers.waits.register(caller.authID.text)
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
