internal import ArgumentParser
internal import StrictJSON

/// Sends the orders of one command: to the running server, or to a store that stays open until the command ends.
struct OrderChannel {
    private enum Target {
        case server(ControlClient)
        case store(Installation.OpenedStore, ControlSurface)
    }

    private let target: Target

    private init(_ target: Target) {
        self.target = target
    }

    /// Sends the first order of a command, which finds out whether a server runs.
    ///
    /// - Throws: exit 1 or 78: the reason was printed.
    static func first<O: Order>(
        _ order: O, on installation: Installation
    ) async throws -> (channel: OrderChannel, answer: OrderAnswer) {
        let client = ControlClient(socket: installation.controlSocket)
        do {
            return (OrderChannel(.server(client)), try client.send(order))
        } catch ControlClient.Failure.nobody {
        } catch {
            printError("the server did not answer: \(error)")
            throw ExitCode.failure
        }
        do throws(StartFault) {
            let store = try await installation.openStore()
            let surface = ControlSurface(store.administrator)
            return (OrderChannel(.store(store, surface)), await surface.answer(order))
        } catch {
            printError(error.description)
            throw error.exitCode
        }
    }

    func answer<O: Order>(_ order: O) async throws(ControlClient.Failure) -> OrderAnswer {
        switch target {
        case .store(_, let surface): await surface.answer(order)
        case .server(let client): try client.send(order)
        }
    }

    /// - Throws: exit 1: the reason was printed.
    func send<O: Order>(_ order: O) async throws -> JSONObject {
        do { return try Self.object(await answer(order)) } catch let failure as ControlClient.Failure {
            printError("the server did not answer: \(failure)")
            throw ExitCode.failure
        }
    }

    /// - Throws: exit 1: the reason of the refusal was printed.
    static func object(_ answer: OrderAnswer) throws -> JSONObject {
        guard answer.isDone else {
            printError(answer.object["message"]?.string ?? "refused with status \(answer.status)")
            throw ExitCode.failure
        }
        return answer.object
    }

    func close() async {
        if case .store(let store, _) = target { await store.close() }
    }
}
