internal import ClientSurfaces
internal import HTTPServer
internal import Possession
internal import Storage

/// Wakes what waits for a change, at this server and at the other servers of its database.
struct Wakes: Sendable {
    let watchers: SessionWatchers
    let bell = WebhookBell()
    private let waits: WaitList
    private let database: any WatchedDatabase
    private let duties: DutiesTable

    init(_ store: Store, _ waits: WaitList) {
        let database = store.watched
        self.database = database
        self.waits = waits
        duties = store.duties
        watchers = SessionWatchers(waits) { database.tell(.watched($0)) }
    }

    /// Hears the other servers from now on.
    func begin() {
        let watchers = watchers
        database.exchangeNotes(WakeListener(hear: hear, awaited: { watchers.sessions }))
    }

    /// A session has changed.
    func announce(_ session: AuthID) {
        waits.publish(session.text)
        database.tell(.changed(session))
    }

    /// Events wait for these endpoints.
    func ring(_ endpoints: [WebhookEndpointID]) {
        bell.ring(endpoints)
        if !duties.has(.webhooks) { database.tell(.events) }
    }

    private func hear(_ notes: [WakeNote]) {
        var changed: [String] = []
        for note in notes {
            switch note {
            case .changed(let session): changed.append(session.text)
            case .watched(let session): watchers.release(session)
            case .events: if duties.has(.webhooks) { bell.ring() }
            }
        }
        waits.publish(changed)
    }
}
