#if canImport(Security)
    import Foundation
    import Security

    /// Keys as items of the Keychain: of this device only, never in a backup or in iCloud.
    struct KeychainVault: KeyVault {
        private static let service = "holdfast.client"

        func read(_ name: String) throws -> Data? {
            var query = item(name)
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess: return found as? Data
            case errSecItemNotFound: return nil
            case let status: throw failure(status)
            }
        }

        func put(_ data: Data, name: String, inPlaceOf old: Data?) throws -> Data {
            if let found = try read(name) {
                guard found == old else { return found }
                let status = SecItemUpdate(item(name) as CFDictionary, [kSecValueData: data] as CFDictionary)
                guard status == errSecSuccess else { throw failure(status) }
                return data
            }
            var new = item(name)
            new[kSecValueData] = data
            new[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            switch SecItemAdd(new as CFDictionary, nil) {
            case errSecSuccess: return data
            // Another process was first.
            case errSecDuplicateItem: return try read(name) ?? data
            case let status: throw failure(status)
            }
        }

        func delete(_ name: String) throws {
            let status = SecItemDelete(item(name) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(status) }
        }

        func names() throws -> [String] {
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: Self.service, kSecReturnAttributes: true,
                kSecMatchLimit: kSecMatchLimitAll,
            ]
            var found: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess:
                return (found as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
            case errSecItemNotFound: return []
            case let status: throw failure(status)
            }
        }

        private func item(_ name: String) -> [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: Self.service, kSecAttrAccount: name]
        }

        private func failure(_ status: OSStatus) -> KeyFailure {
            KeyFailure(what: "the Keychain answers \(status)")
        }
    }
#endif
