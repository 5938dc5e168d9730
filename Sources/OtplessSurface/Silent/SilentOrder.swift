internal import Possession

/// An order for a silent proof of a number, and the fallback if it fails.
struct SilentOrder: Sendable {
    /// The number as the caller writes it, with country code.
    var number = ""
    /// From the start to the end of the request; `nil`: the lifetime of the code, or the default.
    var lifetimeSeconds: Int?
    /// The code that can be sent in the same request if the proof fails; `nil`: no code can be sent.
    var fallback: CodeOrder?
    /// The caller's own name for the call.
    var reference: String?
    var metadata = SessionMetadata()
    /// The platform of the app, if it is known. Android apps read a code by themselves.
    var platform = Platform.ios
    var appHash: String?
}
