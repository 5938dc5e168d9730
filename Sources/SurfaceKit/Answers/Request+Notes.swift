package import HTTPServer
package import Possession

/// Notes on the session for the log line of a request. Where requests are not logged nothing is put into words.
extension Request {
    package func note(_ id: CorrelationID) { notes?.note(subject: id.text) }

    package var noteSession: NoteSession? { notes?.noteSession }
}

extension RequestNotes {
    package var noteSession: NoteSession { { self.note($0) } }

    package func note(_ session: Session) {
        note(caller: session.clientID.text)
        note(subject: session.correlationID.text)
    }
}
