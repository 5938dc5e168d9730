/// A call of a phone that cannot be served.
package enum DeviceProtocolError: Error, Sendable {
    /// Some part of it is wrong: a length, a point, a key, a code, a padding, its age, or that it came before. One answer for
    /// all of them, so that nobody learns which.
    case refused
    /// The temporary key has ended, or is none of this server, application and activation. The app may be told: nothing secret
    /// decides it.
    case unknownTemporaryKey
    /// The server's own fault.
    case fault(EngineFault)
}
