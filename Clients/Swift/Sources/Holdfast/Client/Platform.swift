import Foundation

/// The network of the device's mobile operator, where the platform can name it.
func platformMobileNetwork() -> (any MobileNetworkTransport)? {
    #if canImport(Network) && os(iOS)
        return CellularTransport()
    #else
        return nil
    #endif
}

/// The platform's key store.
func platformKeys(directory: URL?) -> KeyStore {
    #if canImport(Security)
        return KeyStore(vault: KeychainVault(), maker: PlatformKeyMaker(), isLasting: true)
    #else
        let directory =
            directory
            ?? FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first?
            .appendingPathComponent("holdfast-client", isDirectory: true)
        // Without a home there is no place to keep anything: an unusable directory fails the run with a clear error.
        let vault = FileVault(directory: directory ?? URL(fileURLWithPath: "/nonexistent/holdfast-client"))
        return KeyStore(vault: vault, maker: PlatformKeyMaker(), isLasting: directory != nil)
    #endif
}

/// For tests: the platform's keys, over another vault.
package func platformKeys(vault: any KeyVault, isLasting: Bool) -> KeyStore {
    KeyStore(vault: vault, maker: PlatformKeyMaker(), isLasting: isLasting)
}

/// For tests: a key that was made elsewhere, by its 32 private bytes.
package func platformKey(privateBytes: Data) throws -> any SigningKey {
    #if canImport(CryptoKit)
        return try PlatformKeyMaker().key(of: Data([1]) + privateBytes)
    #else
        return try PlatformKeyMaker().key(of: privateBytes)
    #endif
}
