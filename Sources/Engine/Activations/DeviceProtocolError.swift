internal import Possession

/// Why a phone's call cannot be served.
package enum DeviceProtocolError: Error, Sendable {
    /// Some part of it is wrong: a length, a point, a key, a code, a padding, its age, or it is a repeat. All have the
    /// same response, so that the caller does not learn which.
    case refused
    /// The temporary key has ended, or does not belong to this server, application and activation. The app may learn
    /// this: it reveals nothing secret.
    case unknownTemporaryKey
    /// The server's own fault.
    case fault(EngineFault)
}
