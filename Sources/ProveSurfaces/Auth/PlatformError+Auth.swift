internal import Possession
internal import SurfaceKit

extension PlatformError {
    /// The same error in the words of the auth calls: they name a session by `authId`, and fields by the whole path.
    init(ofAuth refusal: PlatformRefusal) {
        switch refusal {
        case .unknownSession: self = .unknownAuthID
        case .endedSession: self = .endedAuthSession
        case .invalidField(.phoneNumber, let reason):
            self = .field(FieldDefect("subjects.mobile.claim.mobileNumber", reason))
        case .invalidField(.finalTarget, let reason):
            self = .field(FieldDefect("subjects.mobile.authenticators.instantlink.finalTargetUrl", reason))
        case .invalidField(.codeLength, let reason):
            self = .field(FieldDefect("subjects.mobile.authenticators.otp.messageText", reason))
        default: self.init(refusal)
        }
    }
}
