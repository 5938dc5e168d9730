internal import Administration
internal import ArgumentParser

/// Checks the health of the server, for containers whose image has no curl.
struct HealthCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
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

    func run() async throws {
        let (host, port) = try target()
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

    private func target() throws -> (host: String, port: UInt16) {
        if let port { return ("127.0.0.1", port) }
        let configuration: Configuration
        do { configuration = try options.place().read() } catch {
            printError("\(error)\nfix it, or say --port")
            throw ExitCode.failure
        }
        guard let target = HealthCheck.target(of: configuration.server) else {
            printError("the configuration leaves the port open: say --port")
            throw ExitCode.failure
        }
        return target
    }

    /// The address to ask: the listener for operators if there is one, because callers cannot use up its capacity.
    /// `nil`: the port is chosen by the kernel.
    static func target(of server: Configuration.Server) -> (host: String, port: UInt16)? {
        if let operations = server.operations, let port = UInt16(exactly: operations.port), port > 0 {
            return (host(of: [operations.host]), port)
        }
        guard let port = UInt16(exactly: server.port), port > 0 else { return nil }
        return (host(of: server.hosts), port)
    }

    /// The server's first address, in a form that this machine can reach.
    static func host(of hosts: [String]) -> String {
        switch hosts.first ?? "localhost" {
        case "localhost", "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        case let host: host
        }
    }
}
