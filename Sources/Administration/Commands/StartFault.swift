package import ArgumentParser

/// Why the server, or a command on the store, cannot start. The text is for the operator and contains no secret.
package enum StartFault: Error, Sendable, CustomStringConvertible {
    /// Something named in the configuration is wrong: exit 78.
    case configuration(String)
    /// The data directory has lost its data: exit 65, because a restart does not help.
    case data(String)
    /// Any other reason: exit 1.
    case failed(String)

    package var description: String {
        switch self {
        case .configuration(let reason): "configuration: \(reason)"
        case .data(let reason), .failed(let reason): reason
        }
    }

    /// The description without the prefix for its kind.
    package var reason: String {
        switch self {
        case .configuration(let reason), .data(let reason), .failed(let reason): reason
        }
    }

    package var exitCode: ExitCode {
        switch self {
        case .configuration: configurationExitCode
        case .data: badDataExitCode
        case .failed: .failure
        }
    }
}
