internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Tokens

/// Replaces the master key.
struct RotateMasterKey: Order, Equatable {
    /// The longest path, in bytes: the limit of Linux.
    static let mostPathBytes = 4095

    /// A file with the new key, which the server reads; `nil`: the server writes a new key to its own file.
    let newKeyFile: String?

    static let call = OrderCall(
        .post, "/control/keys/master", body: .absentIfEmpty, Self.init,
        .optional("newKeyFile", .keyFile, \.newKeyFile))
    static let reply = Reply<KeysetKeeper.MasterChange>(.anything) { change in
        switch change {
        case .replaced(let id, let before, let kept):
            ["replaced": .string(id), "before": .string(before), "kept": .string(kept)]
        case .waits(let id, let before): ["waits": .string(id), "before": .string(before)]
        case .withdrawn: ["withdrawn": true]
        }
    }
    var act: OperatorAct? {
        newKeyFile == nil
            ? OperatorAct("master key rotated", .masterKeyRotated) : OperatorAct("master key added", .masterKeyAdded)
    }

    /// Whether the text can be a file's path for a server in another working directory.
    static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= mostPathBytes && !text.utf8.contains(0)
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> KeysetKeeper.MasterChange {
        try await administrator.rotateMaster(newKeyFile: newKeyFile)
    }
}

extension OrderValue<String> {
    fileprivate static var keyFile: OrderValue { .text { RotateMasterKey.isPath($0) } }
}
