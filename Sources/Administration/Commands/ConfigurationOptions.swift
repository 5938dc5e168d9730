package import ArgumentParser

/// The options by which every command locates its configuration.
package struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file: JSON, // comments allowed.")
    package var config: String?

    @Option(name: .long, help: "The data directory, over data.directory.")
    package var data: String?

    package init() {}
}
