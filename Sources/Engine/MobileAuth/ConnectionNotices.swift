package import Possession

/// Notices of phones about their connection, by which a backend's call chooses Mobile Auth.
package struct ConnectionNotices: Sendable {
    private let store: any ConnectionNoticeStore

    package init(_ engine: Engine) {
        store = engine.stores.notices
    }

    /// Records a notice, joined with an earlier one of the same phone (`ConnectionNotice.after`).
    package func record(_ notice: ConnectionNotice) async throws(EngineFault) {
        do { try await store.note(notice) } catch { throw EngineFault(error) }
    }

    /// - Returns: `nil`: there is none, or another one has replaced it. An expired one may be returned.
    package func notice(_ id: NoticeID, of tenant: ClientID) async throws(EngineFault) -> ConnectionNotice? {
        do { return try await store.notice(id, of: tenant) } catch { throw EngineFault(error) }
    }
}
