internal import Possession
internal import StrictJSON

/// An operator's order about the master key and the sealing key. Bodies: `{"newKeyFile":"/run/secrets/key"}`.
enum KeysetOrder: Sendable, Equatable {
    case status
    /// - `newKeyFile`: a file with the new key, which the server reads; `nil`: the server writes a new key to its own
    ///   file.
    case rotateMaster(newKeyFile: String?)
    case rotateSealing

    /// The longest path, in bytes: the limit of Linux.
    static let mostPathBytes = 4095

    var method: String { self == .status ? "GET" : "POST" }

    var path: String {
        switch self {
        case .status: "/control/keys/status"
        case .rotateMaster: "/control/keys/master"
        case .rotateSealing: "/control/keys/sealing"
        }
    }

    var body: [UInt8] {
        guard case .rotateMaster(let file?) = self else { return [] }
        let object: JSONObject = ["newKeyFile": .string(file)]
        return object.serialized()
    }

    /// Reads the output of `body` for a master key; `nil`: the bytes have another form.
    static func rotateMaster(_ body: [UInt8]) -> KeysetOrder? {
        if body.isEmpty { return .rotateMaster(newKeyFile: nil) }
        guard let object = try? JSONObject.parse(body), object.count == 1, let file = object["newKeyFile"]?.string,
            isPath(file)
        else { return nil }
        return .rotateMaster(newKeyFile: file)
    }

    /// Whether the text can be a file's path for a server in another working directory.
    static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= mostPathBytes && !text.utf8.contains(0)
    }

    /// The name and event for the log and the audit log; `nil`: the order only reads.
    var act: (what: String, event: AuditEvent)? {
        switch self {
        case .status: nil
        case .rotateMaster(newKeyFile: nil): ("master key rotated", .masterKeyRotated)
        case .rotateMaster: ("master key added", .masterKeyAdded)
        case .rotateSealing: ("sealing key rotated", .sealingKeyRotated)
        }
    }
}
