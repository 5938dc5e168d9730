internal import HTTPServer
internal import Possession

/// What the log line of a request says of its session. Where requests are not logged nothing is put into words.
extension Request {
    func note(_ id: CorrelationID) { notes?.note(subject: id.text) }

    var noteSession: NoteSession? { notes?.noteSession }
}

extension RequestNotes {
    var noteSession: NoteSession { { self.note($0) } }

    func note(_ session: Session) {
        note(caller: session.clientID.text)
        note(subject: session.correlationID.text)
    }
}
