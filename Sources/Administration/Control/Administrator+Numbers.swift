internal import Possession

extension Administrator {
    /// - Throws: `.failed`.
    func standing(of target: Target) async throws(Refusal) -> NumberStanding {
        do { return NumberStanding(target, try await limits.tallies(NumberStanding.keys(of: target)), at: now()) } catch
        {
            throw .failed("storage: \(error)")
        }
    }

    /// Forgets the failures of a number or an address; how many counts there were.
    /// - Throws: `.failed`.
    func unlock(_ target: Target) async throws(Refusal) -> Int {
        do { return try await limits.forgetTallies(NumberStanding.failures(of: target)) } catch {
            throw .failed("storage: \(error)")
        }
    }

    /// Sessions that are looked through for a target, the newest.
    private static let mostSessions = 5_000
    /// Those of the target that are told.
    private static let toldSessions = 5

    /// Why a number or an address did not get through, as far as this server knows: the limits that hold for it, and
    /// what became of its newest sessions.
    /// - Throws: `.failed`.
    func explanation(of target: Target) async throws(Refusal) -> Explanation {
        do {
            var explanation = Explanation()
            if let overSessions {
                let tallies = try await limits.tallies(Limits.OverSessions.keys(of: target))
                explanation.held = overSessions.held(target, tallies, at: now())
            }
            let found = try await sessions.recentSessions(limit: Self.mostSessions).lazy.filter {
                $0.currentTarget == target || $0.request.subject.target == target
            }
            for session in found.prefix(Self.toldSessions) {
                explanation.runs.append(try await Explanation.Run(of: session, sessions, outbox))
            }
            return explanation
        } catch {
            throw .failed("storage: \(error)")
        }
    }
}
