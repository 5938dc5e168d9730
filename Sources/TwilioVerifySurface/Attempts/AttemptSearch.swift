internal import Engine
internal import Possession
internal import SurfaceKit

/// Finds the messages of an API client's verifications: newest verification first, and its newest message first.
struct AttemptSearch: Sendable {
    struct Page: Sendable {
        var attempts: [AttemptDocument] = []
        /// The SID after which the next page begins; `nil`: there is no next page.
        var last: SID?
    }

    /// The most verifications that one call reads. So a page may have fewer attempts than its size.
    static let mostLookedAt = 200
    /// The most verifications that a summary counts.
    static let mostCounted = 2000

    private let engine: Engine
    private let backend: Verifications
    private let history: SessionHistory
    private let publicURL: String

    init(_ engine: Engine, publicURL: String) {
        self.engine = engine
        backend = Verifications(engine)
        history = SessionHistory(engine)
        self.publicURL = publicURL
    }

    /// - Throws: `.parameter`: the text is not a number, `.overloaded`, `.internalFault`.
    func page(_ query: AttemptQuery, for caller: TwilioCaller) async throws(TwilioError) -> Page {
        let sessions = try await sessions(query, for: caller)
        var page = Page()
        for session in sessions {
            if isBefore(query.filter.after, session) { return page }
            for attempt in try await attempts(of: session, for: caller) where isBehind(query.after, attempt.attempt.sid)
            {
                guard query.filter.takes(attempt, region: region(of: session)) else { continue }
                page.attempts.append(attempt)
                guard page.attempts.count < query.pageSize else {
                    page.last = attempt.attempt.sid
                    return page
                }
            }
        }
        if sessions.count >= Self.mostLookedAt {
            page.last = sessions.last.map { SendAttempt.end(of: $0.correlationID) }
        }
        return page
    }

    /// Counts the attempts that match the filter.
    func summary(_ filter: AttemptFilter, for caller: TwilioCaller) async throws(TwilioError) -> AttemptSummary {
        var summary = AttemptSummary(url: publicURL + SummarizeAttempts.call.path)
        var last: CorrelationID?
        for _ in 0..<(Self.mostCounted / Self.mostLookedAt) {
            let sessions = try await newest(before: last, of: nil, for: caller)
            for session in sessions {
                if isBefore(filter.after, session) { return summary }
                for attempt in try await attempts(of: session, for: caller)
                where filter.takes(attempt, region: region(of: session)) {
                    summary.count(attempt.conversion)
                }
            }
            guard sessions.count == Self.mostLookedAt else { return summary }
            last = sessions.last?.correlationID
        }
        return summary
    }

    /// - Throws: `.notFound`.
    func attempt(_ sid: SID, for caller: TwilioCaller) async throws(TwilioError) -> AttemptDocument {
        guard let session = try await session(SendAttempt.session(of: sid), for: caller),
            let found = try await attempts(of: session, for: caller).first(where: { $0.attempt.sid == sid })
        else { throw .notFound }
        return found
    }

    /// The sessions for a page: the one in which the previous page ended, and older ones.
    private func sessions(_ query: AttemptQuery, for caller: TwilioCaller) async throws(TwilioError) -> [Session] {
        let last = query.after.map { SendAttempt.session(of: $0) }
        if let sid = query.sid {
            let id = CorrelationID(bytes: sid.bytes)
            guard last == nil || last == id else { return [] }
            return try await session(id, for: caller).map { [$0] } ?? []
        }
        var target: Target?
        if let number = query.number {
            do throws(NumberRefusal) {
                target = .number(try engine.network.numbers.read(number, for: caller.tenant.id).number)
            } catch {
                // A number that this server does not serve has no verification.
                guard error == .malformed else { return [] }
                throw .parameter(FieldDefect("ChannelData.To", "is not a possible phone number"))
            }
        }
        let unfinished: Session? = if let last { try await session(last, for: caller) } else { nil }
        return (unfinished.map { [$0] } ?? []) + (try await newest(before: last, of: target, for: caller))
    }

    private func newest(
        before last: CorrelationID?, of target: Target?, for caller: TwilioCaller
    ) async throws(TwilioError) -> [Session] {
        do throws(EngineFault) {
            return try await history.sessions(
                of: caller.tenant.id, product: .twilioVerify, target: target, before: last, most: Self.mostLookedAt)
        } catch { throw TwilioError(error) }
    }

    private func session(_ id: CorrelationID, for caller: TwilioCaller) async throws(TwilioError) -> Session? {
        do throws(EngineFault) {
            return try await backend.session(.correlation(id), of: .twilioVerify, for: caller.tenant.id)
        } catch { throw TwilioError(error) }
    }

    private func attempts(
        of session: Session, for caller: TwilioCaller
    ) async throws(TwilioError) -> [AttemptDocument] {
        do throws(EngineFault) {
            let events = try await history.events(of: session.correlationID)
            return AttemptDocument.all(of: session, events, for: caller.sids(of: session), publicURL: publicURL)
        } catch { throw TwilioError(error) }
    }

    /// Whether a verification expired before a moment. Then all older ones did, too.
    private func isBefore(_ moment: Timestamp?, _ session: Session) -> Bool {
        moment.map { session.createdAt.adding(.seconds(TwilioRules.lifetimeSeconds)) < $0 } ?? false
    }

    private func isBehind(_ last: SID?, _ sid: SID) -> Bool {
        guard let last, SendAttempt.session(of: last) == SendAttempt.session(of: sid) else { return true }
        return SendAttempt.ordinal(of: sid) < SendAttempt.ordinal(of: last)
    }

    private func region(of session: Session) -> String? {
        session.currentNumber.flatMap { engine.network.numbers.region(of: $0) }
    }
}
