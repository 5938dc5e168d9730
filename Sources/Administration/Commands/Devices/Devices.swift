package import ArgumentParser
internal import Possession
internal import StrictJSON

package struct Devices: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Lists, blocks, unblocks and removes activations of phones, and device keys.",
        discussion: "Works on the running server of the data directory, or on the directory itself when none runs.",
        subcommands: [List.self, Block.self, Unblock.self, Remove.self])

    package init() {}

    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists activations and device keys, the newest first, one JSON object a line.",
            discussion: """
                Those of an API client, of a number or an e-mail address, or of that at one API client. Removed and revoked \
                ones are listed too.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Option(name: .long, help: "Of this API client only.")
        var client: String?
        @Flag(
            name: [.long, .customLong("email")],
            help: "The phone number, or the e-mail address, is the one line of the standard input.")
        var number = false
        @Option(name: .long, help: "At most so many, 1 to 1000.")
        var limit = ListDevices.standardLimit
        @Option(name: .long, help: "Starts behind the device with this id.")
        var before: String?

        func validate() throws {
            guard number || client != nil else { throw ValidationError("say --client, --number or --email") }
            if let client { _ = try Clients.id(client) }
            guard ListDevices.limits.contains(limit) else { throw ValidationError("--limit must be 1 to 1000") }
            if let before, DeviceName(before) == nil { throw ValidationError("--before must be an id of the list") }
        }

        func run(on installation: Installation) async throws {
            let list = ListDevices(
                try owner(installation), before: before.flatMap { DeviceName($0) }, limit: limit)
            let answer = try await installation.send(list)
            printLines(of: "devices", in: answer)
            let devices = answer["devices"]?.array ?? []
            if devices.count == limit, let last = devices.last?.object?["id"]?.string {
                printError("go on with --before \(last)")
            }
        }

        private func owner(_ installation: Installation) throws -> ListDevices.Owner {
            let client = try client.map(Clients.id)
            if let client, !number { return .client(client) }
            return .target(try installation.targetOfStandardInput(), at: client)
        }
    }

    /// The device that a command changes.
    struct Named: ParsableArguments {
        @Argument(help: "The id, as the list shows it.")
        var id: String

        /// - Throws: an error of usage.
        func validate() throws { _ = try name() }

        fileprivate func name() throws -> DeviceName {
            guard let name = DeviceName(id) else { throw ValidationError("the id must be one of the list, a UUID") }
            return name
        }
    }

    struct Block: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Blocks an activation: its phone signs nothing until it is unblocked.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var device: Named

        func run(on installation: Installation) async throws {
            _ = try await installation.send(BlockDevice(id: try device.name()))
            print("blocked")
        }
    }

    struct Unblock: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a blocked activation active again, with all its attempts.",
            discussion: """
                After a restore, signatures that the phone has made since the backup are good once more: remove the \
                activation instead where that matters (docs/operate/backup.md).
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var device: Named

        func run(on installation: Installation) async throws {
            _ = try await installation.send(UnblockDevice(id: try device.name()))
            print("unblocked")
        }
    }

    struct Remove: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes an activation for good, or revokes a device key.",
            discussion: "The person proves their number again, and the phone makes new keys.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var device: Named

        func run(on installation: Installation) async throws {
            _ = try await installation.send(RemoveDevice(id: try device.name()))
            print("removed")
        }
    }
}
