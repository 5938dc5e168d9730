package import Possession

/// Stores what phones report about themselves, a bounded number for each tenant (`ConnectionNotice.places`).
package protocol ConnectionNoticeStore: Sendable {
    /// Stores a notice, joined with an earlier one of the same phone (`ConnectionNotice.after`). It replaces another
    /// phone's notice in the same place.
    func note(_ notice: ConnectionNotice) async throws(StorageFault)

    /// - Returns: `nil`: there is none, or another one has replaced it. An expired one may be returned.
    func notice(_ id: NoticeID, of tenant: ClientID) async throws(StorageFault) -> ConnectionNotice?
}
