internal import SurfaceKit

extension Call.Alias {
    /// SDKs of mid-2025 call this path to enrol, and older documentation uses it to list (Prove section 4).
    static let identityWithSlash = Call.Alias("/v3/identity/")
}
