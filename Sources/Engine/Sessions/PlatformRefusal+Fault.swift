internal import Possession

extension PlatformRefusal {
    /// Faults of the layers below, which no caller can cause.
    init(fault: any Error) {
        switch fault {
        case let refusal as PlatformRefusal: self = refusal
        default: self.init(EngineFault(fault))
        }
    }

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }
}
