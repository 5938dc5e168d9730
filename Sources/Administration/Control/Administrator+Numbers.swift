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
}
