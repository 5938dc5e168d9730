/// Keeps what phones told of themselves, a bounded number a tenant (`ConnectionNotice.places`).
package protocol ConnectionNoticeStore: Sendable {
    /// Keeps a notice, joined with an earlier one of the same phone (`ConnectionNotice.after`). It takes the place of
    /// another phone's, where that has the same place.
    func note(_ notice: ConnectionNotice) async throws(StorageFault)

    /// - Returns: `nil`: there is none, or another one took its place. One that counts no more may be found.
    func notice(_ id: NoticeID, of tenant: ClientID) async throws(StorageFault) -> ConnectionNotice?
}
