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
    func explanation(of number: PhoneNumber) async throws(Refusal) -> NumberExplanation {
        do {
            var explanation = NumberExplanation()
            if let overSessions {
                let tallies = try await limits.tallies(Limits.OverSessions.keys(of: number))
                explanation.held = overSessions.held(number, tallies, at: now())
            }
            let found = try await sessions.recentSessions(limit: Self.mostSessions).lazy.filter {
                $0.currentNumber == number || $0.request.subject.number?.number == number
            }
            for session in found.prefix(Self.toldSessions) {
                explanation.runs.append(
                    NumberExplanation.Run(
                        session: session, events: try await sessions.events(of: session.correlationID),
                        messages: try await outbox.standings(of: session.correlationID)))
            }
            return explanation
        } catch {
            throw .failed("storage: \(error)")
        }
    }
}

/// What is known of a number that did not get through.
struct NumberExplanation: Sendable {
    struct Run: Sendable {
        let session: Session
        let events: [SessionEvent]
        let messages: [MessageStanding]
    }

    var held: [HeldLimit] = []
    /// The newest first.
    var runs: [Run] = []
}
