package import ArgumentParser

package struct Serve: ServerCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            The first signal ends it in good order: requests in flight are answered within server.drainSeconds. \
            A second one ends it at once. SIGHUP reads the configuration again: the users of a sandbox, texts, \
            messaging.brand, gateways and routes, limits of people and money (limits, guard, otp, link), log.level and \
            the certificate take effect. The log says what changed and what needs a restart. A mistake changes nothing. \
            Log lines go to the error output: text on a terminal, else one JSON object each (log.format).
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(name: .long, help: "The IP address to listen on, or localhost; over server.host.")
    var host: String?

    @Option(name: .long, help: "The TCP port, 0 for any free one; over server.port.")
    var port: Int?

    @Flag(
        name: .long,
        help: "Begins with nothing where the data directory has lost its database; without it that is refused.")
    var acceptEmptyDatabase = false

    @Flag(
        name: .long,
        help:
            "Believes the machine's clock although it is behind the time of the last run: what had expired may be back."
    )
    var acceptClock = false

    @Flag(
        name: .long,
        help:
            "Goes on when changes that were acknowledged are missing from the database; without it that is refused.")
    var acceptLostCommits = false

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        var flags: [String: String] = [:]
        if let host { flags["server.host"] = host }
        if let port { flags["server.port"] = String(port) }
        try await controls.serve(
            options, flags: flags,
            accepted: (emptyDatabase: acceptEmptyDatabase, clock: acceptClock, lostCommits: acceptLostCommits))
    }
}
