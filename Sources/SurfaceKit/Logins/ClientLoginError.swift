package import Engine
package import Possession

/// The errors of a surface whose callers send an API client's id and secret with each call.
package protocol ClientLoginError: SurfaceError {
    /// No API client has this id and secret.
    static var unauthorized: Self { get }
    /// The connection presents no certificate of the API client.
    static var certificateMissing: Self { get }
    static var overloaded: Self { get }
    static func rateLimited(_ hit: LimitHit) -> Self
    /// - Parameter reason: written to the log.
    static func internalFault(_ reason: String) -> Self
}

extension ClientLoginError {
    package init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }

    package init(_ refusal: ClientLogin.Refusal) {
        switch refusal {
        case .wrongCredentials: self = .unauthorized
        case .certificateMissing: self = .certificateMissing
        case .rateLimited(let hit): self = .rateLimited(hit)
        case .overloaded: self = .overloaded
        case .internalFault(let reason): self = .internalFault(reason)
        }
    }
}
