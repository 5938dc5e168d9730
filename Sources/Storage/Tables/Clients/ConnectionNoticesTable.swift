package import Engine
package import Possession

/// Table `connection_notices` (migration 0016).
package struct ConnectionNoticesTable: ConnectionNoticeStore {
    private enum SQL {
        static let find: Statement = """
            SELECT notice_id, at_ms, can_use_mobile_auth, came_over_cellular FROM connection_notices
              WHERE client_id = ?1 AND place = ?2
            """
        static let save: Statement = """
            INSERT INTO connection_notices
              (client_id, place, notice_id, at_ms, can_use_mobile_auth, came_over_cellular)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6)
              ON CONFLICT (client_id, place) DO UPDATE SET
                notice_id = excluded.notice_id, at_ms = excluded.at_ms,
                can_use_mobile_auth = excluded.can_use_mobile_auth, came_over_cellular = excluded.came_over_cellular
            """
        static let removeOld: Statement = """
            DELETE FROM connection_notices WHERE (client_id, place) IN
              (SELECT client_id, place FROM connection_notices WHERE at_ms <= ?1 ORDER BY at_ms LIMIT 8)
            """
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    package func note(_ notice: ConnectionNotice) async throws(StorageFault) {
        let name = LockName(
            "connection_notices", Array(notice.tenant.text.utf8), Array(String(notice.place).utf8))
        try await database.transaction(locking: name) { (connection) throws(StorageFault) in
            try connection.run(SQL.removeOld) { $0.time(notice.at.adding(.zero - ConnectionNotice.lifetime)) }
            let joined = notice.after(try Self.find(at: notice.place, of: notice.tenant, connection))
            try connection.run(SQL.save) {
                $0.text(joined.tenant.text)
                $0.integer(Int(joined.place))
                $0.identifier(joined.id)
                $0.time(joined.at)
                $0.flag(joined.canUseMobileAuth)
                $0.flag(joined.cameOverCellular)
            }
        }
    }

    package func notice(_ id: NoticeID, of tenant: ClientID) async throws(StorageFault) -> ConnectionNotice? {
        let place = ConnectionNotice.place(of: id)
        return try await database.read { (connection) throws(StorageFault) -> ConnectionNotice? in
            let found = try Self.find(at: place, of: tenant, connection)
            return found?.id == id ? found : nil
        }
    }

    private static func find(
        at place: UInt64, of tenant: ClientID, _ connection: any Connection
    ) throws(StorageFault) -> ConnectionNotice? {
        try connection.first(SQL.find) {
            $0.text(tenant.text)
            $0.integer(Int(place))
        } _: { (row) throws(StorageFault) in
            ConnectionNotice(
                id: try row.identifier("connection_notices.notice_id"), tenant: tenant,
                at: try row.time("connection_notices.at_ms"),
                canUseMobileAuth: try row.flag("connection_notices.can_use_mobile_auth"),
                cameOverCellular: try row.flag("connection_notices.came_over_cellular"))
        }
    }
}
