internal import Storage

/// The row of a lane in table `lanes`. Each transaction that may change something raises `batch` in it. After a lost
/// connection the row tells whether the last transaction is stored: COMMIT may have been lost, or only its answer.
struct LaneRow {
    enum SQL {
        /// A transaction of the lost connection that is still running holds the row, so this waits for its end. One that
        /// begins later is refused, because `epoch` is another one.
        static let take: Statement = """
            INSERT INTO lanes (server, lane, epoch, batch) VALUES (?1, ?2, 1, 0)
              ON CONFLICT (server, lane) DO UPDATE SET epoch = lanes.epoch + 1
              RETURNING epoch, batch
            """
        /// Fails with a division by zero (22012) if another connection has taken the lane.
        static let raise: Statement = """
            WITH raised AS
              (UPDATE lanes SET batch = batch + 1
                 WHERE server = ?1 AND lane = ?2 AND epoch = ?3 AND batch = ?4 RETURNING 1)
              SELECT 1 / count(*) FROM raised
            """
    }

    let epoch: Int64
    /// Number of the last transaction of the lane that is known to be stored.
    var batch: Int64
}

/// A lane of a server.
struct LaneName: Sendable {
    let server: Int64
    let lane: Int64
}
