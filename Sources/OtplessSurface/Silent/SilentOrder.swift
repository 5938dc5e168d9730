internal import Possession

/// Asks for a silent proof of a number, and says what follows if it fails.
struct SilentOrder: Sendable {
    /// As the caller writes it, with country code.
    var number = ""
    /// From the start to the end of the request; `nil`: as the code's life, or the standard.
    var lifetimeSeconds: Int?
    /// The code that can be sent in the same request when nothing comes of the proof; `nil`: none can.
    var fallback: CodeOrder?
    /// The caller's own name for the call.
    var reference: String?
    var metadata = SessionMetadata()
    /// The platform of the app, where it is known: Android apps read a code by themselves.
    var platform = Platform.ios
    var appHash: String?
}
