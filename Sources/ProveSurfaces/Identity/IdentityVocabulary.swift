internal import SurfaceKit

extension Call.Alias {
    /// SDKs of mid-2025 enrol there, and older documentation lists there (Prove section 4).
    static let identityWithSlash = Call.Alias("/v3/identity/")
}
