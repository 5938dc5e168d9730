internal import Possession

/// What the spend guard has counted, and which prefixes it has closed.
struct GuardStanding: Sendable {
    /// In the last 24 hours; `nil`: of all API clients together.
    var spent: [(client: ClientID?, units: Int)] = []
    var closed: [ClosedPrefix] = []
}

extension Administrator {
    private static let mostPrefixes = 1_000

    /// - Throws: `.failed`.
    func guardStanding() async throws(Refusal) -> GuardStanding {
        var standing = GuardStanding()
        let now = now()
        do {
            let clients = try await tenants.tenants().map(\.id)
            let keys = clients.map { LimitKey(.spendOfTenant, Array($0.text.utf8)) }
            let tallies = try await limits.tallies([LimitKey(.spend, [])] + keys)
            func units(_ key: LimitKey) -> Int { tallies[key]?.counted(within: key.counter.reach, at: now) ?? 0 }
            standing.spent = [(nil, units(LimitKey(.spend, [])))]
            standing.spent += zip(clients, keys).map { ($0, units($1)) }.filter { $0.1 > 0 }
            standing.closed = try await limits.closedPrefixes(limit: Self.mostPrefixes)
        } catch {
            throw .failed("storage: \(error)")
        }
        return standing
    }

    /// Forgets what was counted of a prefix, so that its numbers get messages again.
    /// - Returns: whether anything was counted.
    /// - Throws: `.failed`.
    func open(_ prefix: NumberPrefix) async throws(Refusal) -> Bool {
        do { return try await limits.forgetTallies([prefix.key]) > 0 } catch { throw .failed("storage: \(error)") }
    }

    /// Stops messages to the numbers of a prefix.
    /// - Returns: until when.
    /// - Throws: `.failed`.
    func close(_ prefix: NumberPrefix, hours: Int) async throws(Refusal) -> Timestamp {
        let now = now()
        let until = now.adding(.seconds(hours * 3600))
        do { try await limits.count([prefix.key]) { $0.close(prefix.key, until: until, at: now) } } catch {
            throw .failed("storage: \(error)")
        }
        return until
    }
}
