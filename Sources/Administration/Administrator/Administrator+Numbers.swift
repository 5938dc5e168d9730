internal import Engine
internal import Possession

extension Administrator {
    /// The counts of a target at each API client that has any.
    /// - Throws: `.failed`.
    func standings(of target: Target) async throws(Refusal) -> [NumberStanding] {
        try await stored {
            var standings: [NumberStanding] = []
            for client in try await tenants.tenants().map(\.id) {
                let tallies = try await limits.tallies(NumberStanding.keys(of: target, at: client))
                let standing = NumberStanding(target, at: client, tallies, at: now())
                if !standing.checks.isEmpty { standings.append(standing) }
            }
            return standings
        }
    }

    /// Resets the failures of a number or an address at every API client. Returns the number of counts.
    /// - Throws: `.failed`.
    func unlock(_ target: Target) async throws(Refusal) -> Int {
        try await stored {
            let clients = try await tenants.tenants().map(\.id)
            return try await limits.forgetTallies(clients.flatMap { NumberStanding.failures(of: target, at: $0) })
        }
    }

    /// The most sessions that are searched for a target, newest first.
    private static let mostSessions = 5_000
    /// The most of the target's sessions that are reported.
    private static let toldSessions = 5

    /// Why messages or checks for a number or an address failed, as far as this server knows: the limits that apply to
    /// it now, and the results of its newest sessions.
    /// - Throws: `.failed`.
    func explanation(of target: Target) async throws(Refusal) -> Explanation {
        try await stored {
            var explanation = Explanation()
            let limitsNow = liveLimits.limits
            let clients = try await tenants.tenants()
            for client in clients {
                guard let over = limitsNow.overSessions(of: client.id) else { break }
                let country = target.number.flatMap { numbers?.country(of: $0) }
                let budgets = country.map { over.budgetKeys(of: client.id, to: $0) } ?? []
                let tallies = try await limits.tallies(NumberStanding.keys(of: target, at: client.id) + budgets)
                explanation.held += over.held(target, of: client.id, tallies, at: now())
                let sharers = clients.count { $0.revokedAt == nil }
                if client.revokedAt == nil, let country,
                    let held = over.heldBudget(of: client.id, to: country, clients: sharers, tallies, at: now())
                {
                    explanation.held.append(held)
                }
            }
            if let number = target.number {
                explanation.refusals = refusals.refusals(of: number, at: now())
                explanation.closures = clients.filter { $0.revokedAt == nil }.compactMap { client in
                    numbers?.sendBlock(of: number, by: client.rules, limitsNow).map { (client.id, $0) }
                }
                explanation.closed = closedPrefixes.closedPrefixes.filter {
                    now() < $0.until && $0.prefix.begins(number)
                }
                explanation.scarce = try await limits.scarcePlaces(limit: Self.mostPlaces).filter {
                    NumberPrefix($0.place)?.begins(number) ?? false
                }
            }
            let found = try await sessions.recentSessions(limit: Self.mostSessions).lazy.filter {
                $0.currentTarget == target || $0.request.subject.target == target
            }
            for session in found.prefix(Self.toldSessions) {
                explanation.runs.append(try await Explanation.Run(of: session, sessions, outbox))
            }
            return explanation
        }
    }
}
