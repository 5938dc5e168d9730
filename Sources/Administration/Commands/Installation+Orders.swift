internal import ArgumentParser
internal import Possession
internal import StrictJSON

extension Installation {
    /// Sends an order to the running server. If none runs, carries it out on the store.
    ///
    /// - Returns: the object of the answer.
    /// - Throws: exit 1: the reason was printed.
    func send<O: Order>(_ order: O) async throws -> JSONObject {
        let (channel, answer) = try await OrderChannel.first(order, on: self)
        await channel.close()
        return try OrderChannel.object(answer)
    }

    /// Reports a backup to the running server, for its audit log. Does nothing if no server runs.
    package func noteBackup(bytes: Int64, rows: Int64) {
        _ = try? ControlClient(socket: controlSocket).send(NoteBackup(bytes: bytes, rows: rows))
    }

    /// Reads a number from the only line of the standard input. It is not an argument, because the process list shows
    /// arguments to every user.
    ///
    /// - Throws: an error of usage; an exit code: the reason was printed.
    func numberOfStandardInput() throws -> PhoneNumber { try number(readLine() ?? "") }

    /// Reads a number or an e-mail address from there.
    ///
    /// - Throws: as `numberOfStandardInput`.
    func targetOfStandardInput() throws -> Target {
        let line = readLine() ?? ""
        guard line.utf8.contains(UInt8(ascii: "@")) else { return .number(try number(line)) }
        guard let address = EmailAddress(line) else {
            throw ValidationError("the standard input must be an e-mail address that can exist")
        }
        return .email(address)
    }

    /// The number that an operator typed.
    ///
    /// - Throws: an error of usage; an exit code: the reason was printed.
    func number(_ text: String) throws -> PhoneNumber {
        do {
            guard let number = try readNumber()(text) else {
                throw ValidationError("the standard input must be a phone number that can exist")
            }
            return number
        } catch let fault as StartFault {
            printError(fault.description)
            throw fault.exitCode
        }
    }
}
