internal import Engine
internal import Possession
internal import StrictJSON

/// Sends the orders of an import of people.
struct PeopleChannel {
    /// The most retries if the store is busy. Together they wait 11 seconds.
    private static let patience = 10

    private let channel: OrderChannel

    /// - Throws: exit 1 or 78: the reason was printed.
    init(_ installation: Installation) async throws {
        channel = try await OrderChannel.first(ListPeople(limit: 1), on: installation).channel
    }

    func save(_ people: [NumberedPerson]) async throws(PeopleImport.Refusal) -> SavedPeople {
        let order = SavePeople(people: people)
        var answer = try await answer(order)
        // Requests have priority: an import can wait.
        for attempt in 1...Self.patience where answer.status == 503 {
            try? await Task.sleep(for: .milliseconds(200 * attempt))
            answer = try await self.answer(order)
        }
        guard answer.status == 200, let new = answer.object["new"]?.integer.flatMap({ Int(exactly: $0) }),
            let replaced = answer.object["replaced"]?.integer.flatMap({ Int(exactly: $0) })
        else {
            let reason = answer.object["message"]?.string
            throw PeopleImport.Refusal(reason: reason ?? "the server answered with status \(answer.status)")
        }
        return SavedPeople(new: new, replaced: replaced)
    }

    private func answer(_ order: SavePeople) async throws(PeopleImport.Refusal) -> OrderAnswer {
        do { return try await channel.answer(order) } catch {
            switch error {
            case .nobody: throw PeopleImport.Refusal(reason: "the server is gone")
            case .broken(let reason): throw PeopleImport.Refusal(reason: reason)
            }
        }
    }

    func close() async { await channel.close() }
}
