internal import Possession

extension Administrator {
    /// - Throws: `.failed`.
    func standing(of number: PhoneNumber) async throws(Refusal) -> NumberStanding {
        do { return NumberStanding(number, try await limits.tallies(NumberStanding.keys(of: number)), at: now()) } catch
        {
            throw .failed("storage: \(error)")
        }
    }

    /// Forgets the failures of a number; how many counts there were.
    /// - Throws: `.failed`.
    func unlock(_ number: PhoneNumber) async throws(Refusal) -> Int {
        do { return try await limits.forgetTallies(NumberStanding.failures(of: number)) } catch {
            throw .failed("storage: \(error)")
        }
    }

    /// Sessions that are looked through for a number, the newest.
    private static let mostSessions = 5_000
    /// Those of the number that are told.
    private static let toldSessions = 5

    /// Why a number did not get through, as far as this server knows: the limits that hold for it, and what became of its
    /// newest sessions.
    /// - Throws: `.failed`.
    func explanation(of number: PhoneNumber) async throws(Refusal) -> Explanation {
        do {
            var explanation = Explanation()
            if let overSessions {
                let tallies = try await limits.tallies(Limits.OverSessions.keys(of: number))
                explanation.held = overSessions.held(number, tallies, at: now())
            }
            let found = try await sessions.recentSessions(limit: Self.mostSessions).lazy.filter {
                $0.currentNumber == number || $0.request.subject.number?.number == number
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
