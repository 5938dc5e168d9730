internal import HTTPServer
internal import Possession

/// What the log line of a request says of its session. Where requests are not logged nothing is put into words.
extension Request {
    func note(_ id: CorrelationID) { notes?.note(subject: id.text) }
}

extension RequestNotes {
    func note(_ session: Session) {
        note(caller: session.clientID.text)
        note(subject: session.correlationID.text)
    }
}
