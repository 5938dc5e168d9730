internal import ArgumentParser
internal import StrictJSON

extension ConfigurationOptions {
    /// Which mode the configuration is for.
    func mode() throws -> Configuration.Mode { try read().mode }

    /// Has an order carried out: by the running server, else on the store itself.
    ///
    /// - Throws: exit 1 after the reason was printed.
    func carryOut(_ order: ControlOrder) async throws -> JSONObject {
        let configuration = try read()
        let answer: ControlAnswer
        do {
            answer = try ControlClient(socket: Assembly.controlSocketPath(configuration)).send(order)
        } catch ControlClient.Failure.nobody {
            answer = try await carryOutHere(order, configuration)
        } catch {
            printError("the server did not answer: \(error)")
            throw ExitCode.failure
        }
        guard answer.status < 300 else {
            printError(answer.object["message"]?.string ?? "refused with status \(answer.status)")
            throw ExitCode.failure
        }
        return answer.object
    }

    private func carryOutHere(_ order: ControlOrder, _ configuration: Configuration) async throws -> ControlAnswer {
        do {
            let store = try await Store.open(configuration)
            let answer = await ControlSurface(store.administration { _ in }).answer(order)
            await store.close()
            return answer
        } catch {
            printError(error.description)
            throw error.exitCode
        }
    }
}
