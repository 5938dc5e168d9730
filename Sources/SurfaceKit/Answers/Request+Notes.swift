package import HTTPServer
package import Engine
package import Possession

/// Notes about the session for the log line of a request. If requests are not logged, no text is made.
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
