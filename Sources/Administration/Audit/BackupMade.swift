internal import StrictJSON

/// A backup that another process made while the server ran, for the server's audit log.
package struct BackupMade: Sendable, Equatable {
    let bytes: Int64
    let rows: Int64

    package init(bytes: Int64, rows: Int64) {
        self.bytes = bytes
        self.rows = rows
    }

    /// `nil`: the bytes have another form.
    init?(_ body: [UInt8]) {
        guard let object = try? JSONObject.parse(body), let bytes = object["bytes"]?.integer, bytes >= 0,
            let rows = object["rows"]?.integer, rows >= 0
        else { return nil }
        self.init(bytes: bytes, rows: rows)
    }

    var object: JSONObject { ["bytes": .integer(bytes), "rows": .integer(rows)] }
}
