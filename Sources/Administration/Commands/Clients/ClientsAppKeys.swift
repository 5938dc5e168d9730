internal import ArgumentParser
internal import Possession
internal import StrictJSON

extension Clients {
    struct AppKeys: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "app-keys",
            abstract: "Adds, replaces and shows the keys that an API client's apps are built with.",
            discussion: """
                Apps that activate devices by /pa/v3 need them (docs/onboarding.md). The secret stands in every copy of \
                the app: it tells apps of this client from others, and protects nothing.
                """,
            subcommands: [Add.self, Rotate.self, Export.self, List.self])

        /// The client whose keys are printed, and the output format.
        struct Printed: ParsableArguments {
            @OptionGroup var named: Clients.Named
            @Flag(name: .long, help: "Prints one JSON object.")
            var json = false

            /// Sends the order, and prints the values that an app is built with.
            /// - Returns: the answer.
            @discardableResult
            fileprivate func send<O: Order>(
                to installation: Installation, _ order: (ClientID) -> O
            ) async throws -> JSONObject {
                let answer = try await installation.send(order(try named.client()))
                if json { printJSON(answer) } else { Self.show(answer) }
                return answer
            }

            private static func show(_ answer: JSONObject) {
                print("application_key=\(answer["applicationKey"]?.string ?? "")")
                print("application_secret=\(answer["applicationSecret"]?.string ?? "")")
                print("master_public_key=\(answer["masterPublicKey"]?.string ?? "")")
                print("sdk_configuration=\(answer["sdkConfiguration"]?.string ?? "")")
            }
        }
    }
}

extension Clients.AppKeys {
    struct Add: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Makes the first keys and prints them.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var printed: Printed

        func run(on installation: Installation) async throws {
            try await printed.send(to: installation) { AddApplicationKeys(client: $0) }
        }
    }

    struct Rotate: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes new keys and prints them.",
            discussion: """
                Apps with the keys before are served for --overlap-days, so that people can update. Apps with still \
                older keys are not served from now on.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var printed: Printed
        @Option(name: .long, help: "Days that the keys before are taken, 0 to 730; 0 ends them now.")
        var overlapDays = RotateApplicationKeys.standardOverlap

        func validate() throws {
            guard RotateApplicationKeys.overlaps.contains(overlapDays) else {
                throw ValidationError("--overlap-days must be 0 to \(RotateApplicationKeys.overlaps.upperBound)")
            }
        }

        func run(on installation: Installation) async throws {
            let answer = try await printed.send(to: installation) {
                RotateApplicationKeys(client: $0, overlapDays: overlapDays)
            }
            if !printed.json {
                printError("the keys before are taken until \(answer["previousUntil"]?.string ?? "now")")
            }
        }
    }

    struct Export: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the current keys, for the build of an app.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var printed: Printed

        func run(on installation: Installation) async throws {
            try await printed.send(to: installation) { ExportApplicationKeys(client: $0) }
        }
    }

    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the keys of an API client without their secrets, one JSON object a line.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var named: Clients.Named

        func run(on installation: Installation) async throws {
            try await printLines(of: "keys", in: installation.send(ListApplicationKeys(client: try named.client())))
        }
    }
}
