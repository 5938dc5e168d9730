internal import ArgumentParser
internal import StrictJSON

// Commands for the keys that protect stored data.

extension Keys {
    struct RotateMaster: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-master",
            abstract: "Replaces the master key.",
            discussion: """
                Writes a new key into the file of keys.masterKeyFile, while the server runs, and keeps the old one beside it: \
                FILE.ID. Copy the new file to the place of its backup afterwards. Backups of before need the old key: remove \
                it once they are gone.

                Where the server cannot write the file, make a new one (openssl rand 32) that the server can read, and name \
                it: it is taken at the next start with keys.masterKeyFile set to it.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Option(help: "A file with the new key, 32 bytes with mode 0600: an absolute path, as the server sees it.")
        var newKeyFile: String?

        func validate() throws {
            if let newKeyFile, !RotateMasterKey.isPath(newKeyFile) {
                throw ValidationError("--new-key-file must be an absolute path")
            }
        }

        func run(on installation: Installation) async throws {
            let answer = try await installation.send(RotateMasterKey(newKeyFile: newKeyFile))
            let before = answer["before"]?.string ?? ""
            if let id = answer["waits"]?.string {
                print("master key \(id) was added: set keys.masterKeyFile to \(newKeyFile ?? "its file") and restart")
                print("backups made until that restart need master key \(before): keep it for as long as you keep them")
            } else if let id = answer["replaced"]?.string {
                print("master key \(id) is in keys.masterKeyFile: copy the file to where its backup is")
                print("backups made until now need master key \(before): it is kept in \(answer["kept"]?.string ?? "")")
                print("remove that file once those backups are gone")
            } else {
                print("this is the master key in use: no other one waits any more")
            }
        }
    }

    struct RotateSealing: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-sealing",
            abstract: "Makes a new sealing key, and shows how the keys stand.",
            discussion: """
                New values are sealed with it at once. A running server seals older values again in the background, \
                and removes the old key once nothing needs it: holdfast keys status shows how far it is.
                """)

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            printJSON(try await installation.send(RotateSealingKey()))
        }
    }

    struct Status: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the master key's id and the sealing key, and how many values older keys have sealed.")

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            printJSON(try await installation.send(ShowKeyStatus()))
        }
    }
}
