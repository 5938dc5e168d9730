package import ArgumentParser

/// Checks the health of the server, for containers whose image has no curl.
package struct HealthCheck: ServerCommand {
    package static let configuration = CommandConfiguration(
        commandName: "healthcheck", abstract: "Exits with 0 when the server on this machine answers, else with 1.",
        discussion: """
            Asks the address and port of the configuration, as `serve` reads it: the listener for operators where there is \
            one, else the public one. --port asks 127.0.0.1 instead, and needs \
            no configuration.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(name: .long, help: "The server's port on 127.0.0.1, over server.port.")
    var port: UInt16?

    @Option(name: .long, help: "The path to ask: /healthz for liveness, /readyz for readiness.")
    var path = "/healthz"

    package init() {}

    package func run(by controls: any ServerControls) async throws {
        let (host, port) = try target(controls)
        do {
            let status = try ControlClient(host: host, port: port).exchange("GET", path).status
            guard status == 200 else {
                printError("\(path) of \(host) port \(port) answers \(status)")
                throw ExitCode.failure
            }
        } catch let failure as ControlClient.Failure {
            printError("no answer of \(host) port \(port): \(failure)")
            throw ExitCode.failure
        }
    }

    private func target(_ controls: any ServerControls) throws -> (host: String, port: UInt16) {
        if let port { return ("127.0.0.1", port) }
        guard let address = try controls.probeAddress(options) else {
            printError("the configuration leaves the port open: say --port")
            throw ExitCode.failure
        }
        return address
    }
}
