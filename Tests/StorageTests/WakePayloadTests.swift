import Possession
import Storage
import Testing

/// The text in which a server tells others of changes.
@Suite struct WakePayloadTests {
    private func ids(_ count: Int) -> [AuthID] { (0..<count).map { AuthID(high: UInt64($0), low: .max - UInt64($0)) } }

    @Test func `notes are read as they were sent`() throws {
        let ids = ids(3)
        let notes: [WakeNote] = [.changed(ids[0]), .events, .watched(ids[1]), .changed(ids[2])]
        let texts = WakePayload.texts(of: notes, from: 17)
        #expect(texts.count == 1)
        let payload = try #require(WakePayload(texts[0]))
        #expect(payload.server == 17)
        #expect(payload.notes == notes)
        #expect(WakePayload.texts(of: [], from: 17).isEmpty)
    }

    @Test func `each of many texts has fewer than 8000 bytes`() {
        let notes: [WakeNote] = ids(1000).map { .changed($0) }
        let texts = WakePayload.texts(of: notes, from: .max)
        #expect(texts.allSatisfy { $0.utf8.count < 8000 })
        #expect(texts.compactMap { WakePayload($0) }.flatMap(\.notes) == notes)
        #expect(texts.allSatisfy { WakePayload($0)?.server == Int64.max })
        #expect(texts.count == 4)
    }

    @Test func `a text of no server is not read`() {
        for text in ["", "c", "-1", "e17", "99999999999999999999e"] { #expect(WakePayload(text) == nil) }
    }

    @Test func `what follows an unknown or damaged note is left out`() throws {
        let note = WakeNote.changed(ids(1)[0])
        let text = WakePayload.texts(of: [note], from: 17)[0]
        #expect(try #require(WakePayload("17")).notes.isEmpty)
        for end in ["xe", "c", "w+e", String(text.dropFirst(2).dropLast())] {
            #expect(try #require(WakePayload(text + end)).notes == [note])
        }
    }
}
