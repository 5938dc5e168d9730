internal import Logging
internal import Observation
internal import Tokens

/// The parts on which most of the server depends.
struct StartContext: Sendable {
    let configuration: Configuration
    let logger: Logger
    let registry: MetricsRegistry
    let addresses: ServerAddresses
    let environment: Environment
    let store: Store
    let tokens: ES256TokenService
}
