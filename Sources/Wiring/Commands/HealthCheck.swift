internal import ArgumentParser

/// For containers, whose image has no curl.
struct HealthCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck", abstract: "Exits with 0 when the server on this machine answers.",
        shouldDisplay: false)

    @Option(name: .long, help: "The server's port on 127.0.0.1.")
    var port: UInt16 = 8080

    @Option(name: .long, help: "The path to ask.")
    var path = "/healthz"

    func run() async throws {
        do {
            let status = try ControlClient(loopbackPort: port).exchange("GET", path).status
            guard status == 200 else {
                printError("status \(status)")
                throw ExitCode.failure
            }
        } catch let failure as ControlClient.Failure {
            printError("no answer: \(failure)")
            throw ExitCode.failure
        }
    }
}
