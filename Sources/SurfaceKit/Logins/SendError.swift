package import Engine
internal import Possession

/// The errors of a surface whose calls send messages. Each refusal of a message has its own error.
package protocol SendError: ClientLoginError {
    init(_ refusal: SendRefusal)
}

extension SendError {
    /// Makes the call and translates its refusal.
    package static func sending<Value: Sendable>(
        _ call: () async throws(SendRefusal) -> Value
    ) async throws(Self) -> Value {
        do throws(SendRefusal) { return try await call() } catch { throw Self(error) }
    }
}

extension ClientLoginError {
    /// Makes the call and translates the engine's fault.
    package static func running<Value: Sendable>(
        _ call: () async throws(EngineFault) -> Value
    ) async throws(Self) -> Value {
        do throws(EngineFault) { return try await call() } catch { throw Self(error) }
    }
}
