package import ArgumentParser

package struct Keys: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Lists and rotates the keys that sign tokens, and those that protect what is stored.",
        discussion: "Works on the running server of the data directory, or on the directory itself when none runs.",
        subcommands: [List.self, Rotate.self, RotateMaster.self, RotateSealing.self, Status.self])

    package init() {}

    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the keys whose tokens may be alive, one JSON object a line.")

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            try await printLines(of: "keys", in: installation.send(ListSigningKeys()))
        }
    }

    struct Rotate: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes new signing keys and lists them all.",
            discussion: """
                A new key is published at once and signs after five minutes; the old one verifies until its last token \
                has expired.
                """)

        @OptionGroup var options: ConfigurationOptions

        func run(on installation: Installation) async throws {
            try await printLines(of: "keys", in: installation.send(RotateSigningKeys()))
        }
    }
}
