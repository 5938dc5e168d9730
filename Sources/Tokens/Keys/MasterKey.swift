import Glibc
package import Engine
package import Possession
internal import Secrets

/// A secret of 32 bytes from which other keys are derived: the one in a key file, which opens the installation's
/// keyset, and those in the keyset (`Keyset`).
package struct MasterKey: Sendable {
    /// Purpose of a derived key. The labels are part of the stored data: never rename one.
    package enum Label: String, Sendable, CaseIterable {
        case seal = "holdfast seal 1"
        case blindIndex = "holdfast blind index 1"
        case otp = "holdfast otp 1"
        case clientSecret = "holdfast client secret 1"
        case apiKey = "holdfast api key 1"
        case requestBody = "holdfast request body 1"
        case signingKeySeal = "holdfast signing key seal 1"
        case mobileAuthState = "holdfast mobile auth state 1"
        case mobileAuthVerifier = "holdfast mobile auth verifier 1"
        case mobileAuthFingerprint = "holdfast mobile auth fingerprint 1"
        case codeLink = "holdfast code link 1"
        case receipt = "holdfast receipt 1"
        case result = "holdfast result 1"
        case resultSubject = "holdfast result subject 1"
        case appState = "holdfast app state 1"
        case identification = "holdfast identification 1"
        case hookSecret = "holdfast hook secret 1"
        case clientAddress = "holdfast client address 1"
        case webhookSubject = "holdfast webhook subject 1"
        case audit = "holdfast audit 1"
        case backup = "holdfast backup 1"
        case keyset = "holdfast keyset 1"
        case keyID = "holdfast master key id 1"
    }

    package static let size = 32
    let secret: SecretBytes

    /// `nil` unless 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        secret = SecretBytes(bytes)
    }

    /// A key for one purpose: HKDF-SHA256 with the label as info.
    package func subkey(_ label: Label) throws(TokenFault) -> SecretBytes {
        try HKDF.derive(from: secret, salt: [], info: Array(label.rawValue.utf8), count: Self.size)
    }

    /// 8 bytes that identify the key without revealing anything else about it.
    package func keyID() throws(TokenFault) -> [UInt8] { try subkey(.keyID).withBytes { Array($0.prefix(8)) } }
}

extension MasterKey {
    /// Reads a key file.
    ///
    /// - Throws: `KeyFileFault` unless it is a regular file of 32 bytes, owned by the running user, with mode
    ///   0600 (TOK-13).
    package static func load(_ path: String) throws(KeyFileFault) -> MasterKey {
        var bytes = try KeyFile.read(path, sizes: size...size)
        defer { bytes.wipe() }
        guard let key = MasterKey(bytes) else { preconditionFailure("the size was checked") }
        return key
    }

    /// Creates a new key file, makes it durable, and reads it back.
    ///
    /// - Throws: `KeyFileFault` when the file exists, cannot be written, or the generator refuses.
    package static func create(_ path: String, randomBytes: RandomBytes) throws(KeyFileFault) -> MasterKey {
        var bytes: [UInt8]
        do { bytes = try randomBytes(size) } catch {
            throw KeyFileFault(reason: "no random bytes for key file \(path)")
        }
        defer { bytes.wipe() }
        return try write(&bytes, to: path)
    }

    /// Writes the key to a new file, and makes it durable.
    ///
    /// - Throws: `KeyFileFault` when the file exists or cannot be written.
    func write(to path: String) throws(KeyFileFault) {
        var bytes = secret.withBytes { Array($0) }
        defer { bytes.wipe() }
        _ = try Self.write(&bytes, to: path)
    }

    /// - Parameter bytes: not changed; `inout` avoids a copy, so that the caller wipes the only array.
    private static func write(_ bytes: inout [UInt8], to path: String) throws(KeyFileFault) -> MasterKey {
        // Written under another name first: a crash must not leave half a key that every later start refuses.
        let draft = path + ".new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw KeyFile.fault("cannot be created", path) }
        // Sets the mode again, regardless of the umask. Unlike a rename, a link never replaces an existing key.
        let written =
            fchmod(file, 0o600) == 0 && Glibc.write(file, bytes, size) == size && fsync(file) == 0
            && link(draft, path) == 0
        let writeFault = KeyFile.fault("cannot be written", path)
        close(file)
        unlink(draft)
        guard written else { throw writeFault }
        try syncDirectory(of: path)
        return try load(path)
    }

    /// Copies a key file to a path where no file exists, and makes it durable.
    ///
    /// - Throws: `KeyFileFault` when one of the two cannot be used.
    package static func copy(_ path: String, to target: String) throws(KeyFileFault) {
        var bytes = try KeyFile.read(path, sizes: size...size)
        defer { bytes.wipe() }
        _ = try write(&bytes, to: target)
    }

    /// Replaces a key file with another.
    ///
    /// - Returns: whether that is durable. If not, a power loss may bring back the previous key.
    /// - Throws: `KeyFileFault` when the system refuses, as for a file that is mounted by itself; both files are then
    ///   unchanged.
    static func move(_ new: String, over path: String) throws(KeyFileFault) -> Bool {
        guard rename(new, path) == 0 else { throw KeyFile.fault("cannot be replaced", path) }
        return (try? syncDirectory(of: path)) != nil
    }

    /// A new name is durable only once its directory is.
    static func syncDirectory(of path: String) throws(KeyFileFault) {
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw KeyFile.fault("has a directory that cannot be opened", path) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw KeyFile.fault("has a directory that cannot be synchronised", path) }
    }
}
