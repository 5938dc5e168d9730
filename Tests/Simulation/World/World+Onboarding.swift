internal import Possession
internal import Storage
internal import Wiring

extension World {
    /// - Returns: whether the activation is as it was ordered to be.
    typealias ActivationRule = @Sendable (inout DeviceActivation, Timestamp) -> Bool

    /// History of a process: a new one when the id is told for the first time.
    func process(_ id: String, of person: Person, began: UInt64) -> ProcessHistory {
        if let known = processes.first(where: { $0.id == id }) { return known }
        let history = ProcessHistory(id: id, person: person, began: began)
        processes.append(history)
        figures.processes += 1
        return history
    }

    /// Changes an activation as an operator orders it; `nil`: no answer.
    func change(_ id: String, _ rule: @escaping ActivationRule) -> Bool? {
        guard let id = ActivationID(id) else { return nil }
        let now = Timestamp(milliseconds: Sim.wallMilliseconds)
        return ask { try await $0.activations.update(id, telling: nil) { rule(&$0, now) } }
    }

    /// All activations of an API client; `nil`: no answer.
    func storedActivations(of client: String) -> [DeviceActivation]? {
        guard let client = ClientID(client) else { return nil }
        return ask { try await $0.activations.activations(of: client, before: nil, most: 1_000) }
    }

    /// Asks the store in a task of the server's, and waits in a lane of the world.
    private func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (Store) async throws -> Answer?
    ) -> Answer? {
        guard server == .up, let store = assembly?.store else { return nil }
        let (life, deadline, slot) = (lives, Sim.now + UInt64(World.patience) * 1_000_000, Slot<Answer>())
        Task {
            slot.answer = try? await question(store)
            slot.isDone = true
        }
        while !slot.isDone, lives == life, server == .up, Sim.now < deadline { Sim.sleep(milliseconds: 1) }
        return slot.answer
    }

    private final class Slot<Answer>: @unchecked Sendable {
        // Sendable: as the world.
        var answer: Answer?
        var isDone = false
    }
}
