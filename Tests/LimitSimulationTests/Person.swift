/// Somebody who wants to be verified: what they want, and what came of it.
struct Person: Sendable {
    let number: SimulatedNumber
    let address: CallerAddress
    let arrivedAt: Moment
    let proof: SimulatedSession.Proof?
    /// Typed first by mistake.
    var wrongNumber: SimulatedNumber?
    /// Their own draws: what one person does changes nothing for the next, whatever the rules say.
    var random: SimulatedRandom

    /// A person of a crowd tries again within a minute, so many times.
    var minutesOfPatience = 0
    var isOfCrowd = false
    var session = 0
    var messages = 0
    var refusals = 0
    /// When a message came that they had been refused before.
    var waited: Moment = 0
    /// They gave up without a message that they needed.
    var isLockedOut: Bool { lockedOutBy != nil }
    /// The limit that refused them last.
    var lockedOutBy: SimulatedLimit?

    var isNew: Bool { proof == nil }
    var numberNow: SimulatedNumber { wrongNumber ?? number }
}

/// The outcome for a group of people.
struct GroupOutcome: Sendable {
    private(set) var people = 0
    private(set) var lockedOut = 0
    private(set) var refused = 0
    private(set) var delays: [Moment] = []
    private(set) var lockedOutBy: [SimulatedLimit: Int] = [:]

    mutating func count(_ person: Person) {
        people += 1
        if let limit = person.lockedOutBy {
            lockedOut += 1
            lockedOutBy[limit, default: 0] += 1
        }
        if person.refusals > 0 { refused += 1 }
        if person.refusals > 0, !person.isLockedOut { delays.append(person.waited) }
    }

    mutating func add(_ other: GroupOutcome) {
        people += other.people
        lockedOut += other.lockedOut
        refused += other.refused
        delays += other.delays
        lockedOutBy.merge(other.lockedOutBy, uniquingKeysWith: +)
    }

    var lockedOutPercent: Double { percent(lockedOut) }
    var refusedPercent: Double { percent(refused) }
    /// The middle delay of those who had their message in the end.
    var middleDelay: Moment? { delays.isEmpty ? nil : delays.sorted()[delays.count / 2] }

    private func percent(_ count: Int) -> Double { people == 0 ? 0 : Double(count) * 100 / Double(people) }
}
