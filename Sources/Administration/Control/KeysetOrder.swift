internal import Possession
internal import StrictJSON

/// An order of an operator's command about the master key and the sealing key. Bodies: `{"newKeyFile":"/run/secrets/key"}`.
enum KeysetOrder: Sendable, Equatable {
    case status
    /// - `newKeyFile`: a file that the server reads; `nil`: the server writes the one it has.
    case rotateMaster(newKeyFile: String?)
    case rotateSealing

    /// Longest path, in bytes: the limit of Linux.
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

    /// Reads what `body` writes of a master key; `nil` when anything else stands there.
    static func rotateMaster(_ body: [UInt8]) -> KeysetOrder? {
        if body.isEmpty { return .rotateMaster(newKeyFile: nil) }
        guard let object = try? JSONObject.parse(body), object.count == 1, let file = object["newKeyFile"]?.string,
            isPath(file)
        else { return nil }
        return .rotateMaster(newKeyFile: file)
    }

    /// Whether it can be the path of a file for a server in another directory.
    static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= mostPathBytes && !text.utf8.contains(0)
    }

    /// For the log and the audit log; `nil`: it only reads.
    var act: (what: String, event: AuditEvent)? {
        switch self {
        case .status: nil
        case .rotateMaster(newKeyFile: nil): ("master key rotated", .masterKeyRotated)
        case .rotateMaster: ("master key added", .masterKeyAdded)
        case .rotateSealing: ("sealing key rotated", .sealingKeyRotated)
        }
    }
}
