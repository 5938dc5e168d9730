internal import Possession

/// Why the engine could not do its work. No caller can cause it.
package enum EngineFault: Error, Sendable, Equatable {
    /// The store accepts no more work now; a later try may pass.
    case overloaded
    /// Only for the log. It names the layer and what failed, and has no personal data.
    case failed(String)

    /// The faults of the ports.
    package init(_ fault: any Error) {
        switch fault {
        case let fault as EngineFault: self = fault
        case StorageFault.overloaded: self = .overloaded
        case let fault as StorageFault: self = .failed("storage: \(fault)")
        case let fault as TokenFault: self = .failed("token: \(fault.reason)")
        case is EntropyFault: self = .failed("random generator")
        default: self = .failed("unexpected fault")
        }
    }
}
