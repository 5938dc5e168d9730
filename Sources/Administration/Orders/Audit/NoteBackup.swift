internal import Possession
internal import SurfaceKit

/// Records in the audit log of a running server that another process made a backup.
struct NoteBackup: Order {
    let bytes: Int64
    let rows: Int64

    static let call = OrderCall(
        .post, "/control/backups", Self.init, .required("bytes", .atLeastZero, \.bytes),
        .required("rows", .atLeastZero, \.rows))
    static let reply = Reply<Nothing> {}
    var act: OperatorAct? {
        OperatorAct("backup made", .backupMade, ["bytes": String(bytes), "rows": String(rows)])
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Nothing { Nothing() }
}
