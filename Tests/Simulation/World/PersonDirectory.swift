internal import Engine
internal import Possession

/// Somebody who says a number of a client, and perhaps is known by it.
final class Person {
    let clientNumber: String
    /// `nil`: nobody knows them.
    let number: String?
    /// Starts that had no answer: each may have sent another code.
    var unansweredStarts: [UInt64] = []

    init(clientNumber: String, number: String?) {
        self.clientNumber = clientNumber
        self.number = number
    }
}

/// Finds people by the number of a client: slowly, and now and then not at all, while the carrier has trouble.
final class PersonDirectory: PersonFinder, @unchecked Sendable {
    // Sendable: the machine lets one lane run at a time.

    let people: [Person]
    private let carrier: Carrier
    /// Those whom it once did not find for its own trouble: by then they are nobody.
    private(set) var missed: Set<String> = []

    init(_ carrier: Carrier) {
        self.carrier = carrier
        people =
            (0..<6).map { Person(clientNumber: "known-\($0)", number: "+1205444\(1000 + $0)") }
            + (0..<2).map { Person(clientNumber: "unknown-\($0)", number: nil) }
    }

    func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson? {
        guard let said = identification.entries.first?.value,
            let person = people.first(where: { $0.clientNumber == said })
        else { return nil }
        if carrier.mood.isSlow > 0, Sim.onceIn(2) { try? await Task.sleep(for: .milliseconds(Sim.draw(500))) }
        if carrier.mood.refuses > 0, Sim.onceIn(6) {
            missed.insert(said)
            throw .unavailable(reason: "the directory does not answer")
        }
        return person.number.flatMap { PhoneNumber(e164: $0) }.map { FoundPerson(target: .number($0)) }
    }
}
