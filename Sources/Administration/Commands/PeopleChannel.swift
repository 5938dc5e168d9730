internal import ArgumentParser
internal import Possession
internal import StrictJSON

/// Where a command with many orders sends them: the running server, or a store that stays open meanwhile.
struct PeopleChannel {
    private enum Target {
        case server(ControlClient)
        case store(Installation.OpenedStore, ControlSurface)
    }

    /// How often a busy store is asked again: for 11 seconds in all.
    private static let patience = 10

    private let target: Target

    /// - Throws: exit 1 or 78 after the reason was printed.
    init(_ installation: Installation) async throws {
        let client = ControlClient(socket: installation.controlSocket)
        do {
            _ = try client.send(.listPeople(PeoplePage(limit: 1)))
            target = .server(client)
            return
        } catch ControlClient.Failure.nobody {
        } catch {
            printError("the server did not answer: \(error)")
            throw ExitCode.failure
        }
        do {
            let store = try await installation.openStore()
            target = .store(store, ControlSurface(store.administrator))
        } catch {
            printError(error.description)
            throw error.exitCode
        }
    }

    func save(_ people: [NumberedPerson]) async throws(PeopleImport.Refusal) -> SavedPeople {
        var answer = try await answer(.savePeople(people))
        // Requests go first: an import has time.
        for attempt in 1...Self.patience where answer.status == 503 {
            try? await Task.sleep(for: .milliseconds(200 * attempt))
            answer = try await self.answer(.savePeople(people))
        }
        guard answer.status == 200, let new = answer.object["new"]?.integer.flatMap({ Int(exactly: $0) }),
            let replaced = answer.object["replaced"]?.integer.flatMap({ Int(exactly: $0) })
        else {
            let reason = answer.object["message"]?.string
            throw PeopleImport.Refusal(reason: reason ?? "the server answered with status \(answer.status)")
        }
        return SavedPeople(new: new, replaced: replaced)
    }

    private func answer(_ order: ControlOrder) async throws(PeopleImport.Refusal) -> ControlAnswer {
        switch target {
        case .store(_, let surface): return await surface.answer(order)
        case .server(let client):
            do { return try client.send(order) } catch {
                switch error {
                case .nobody: throw PeopleImport.Refusal(reason: "the server is gone")
                case .broken(let reason): throw PeopleImport.Refusal(reason: reason)
                }
            }
        }
    }

    func close() async {
        if case .store(let store, _) = target { await store.close() }
    }
}
