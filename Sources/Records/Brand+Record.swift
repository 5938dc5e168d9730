package import Engine
package import Possession

/// The record of a brand, stored in its row. It contains no personal data and is not sealed.
extension Brand {
    private static let column: StaticString = "brands.record"

    package func record() throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.brand)
        record.text(name)
        record.integer(codeLength)
        record.flag(takesOwnCodes)
        record.text(template)
        record.integer(Int(switches))
        record.time(createdAt)
        record.time(changedAt)
        record.integer(quotas.count)
        for quota in quotas { quota.write(to: &record) }
        return try record.finished(Self.column)
    }

    /// - Throws: `.corrupt` for a record that this version did not write.
    package init(_ id: BrandID, record bytes: [UInt8]) throws(StorageFault) {
        var record = try RecordReader(bytes, RecordVersions.brand, Self.column)
        let name = try record.optionalText()
        let codeLength = try record.count(Policy.Code.lengths)
        let takesOwnCodes = try record.flag()
        let template = try record.optionalText()
        let switches = UInt8(try record.count(0...255))
        let (createdAt, changedAt) = (try record.time(), try record.time())
        var quotas: [Quota] = []
        for _ in 0..<(try record.count(0...Quota.most)) { quotas.append(try Quota(&record)) }
        try record.end()
        self.init(
            id: id, name: name, codeLength: codeLength, takesOwnCodes: takesOwnCodes, template: template,
            switches: switches, createdAt: createdAt, changedAt: changedAt, quotas: quotas)
    }
}

extension Quota {
    fileprivate func write(to record: inout RecordWriter) {
        record.identifier(id)
        record.text(name)
        record.text(about)
        record.time(createdAt)
        record.time(changedAt)
        record.integer(windows.count)
        for window in windows {
            record.identifier(window.id)
            record.integer(window.most)
            record.integer(window.seconds)
            record.time(window.createdAt)
            record.time(window.changedAt)
        }
    }

    fileprivate init(_ record: inout RecordReader) throws(StorageFault) {
        let id: QuotaID = try record.identifier()
        let (name, about) = (try record.text(), try record.text())
        let (createdAt, changedAt) = (try record.time(), try record.time())
        var windows: [Window] = []
        for _ in 0..<(try record.count(0...Quota.mostWindows)) {
            windows.append(
                Window(
                    id: try record.identifier(), most: try record.count(Window.mostBounds),
                    seconds: try record.count(Window.secondsBounds), createdAt: try record.time(),
                    changedAt: try record.time()))
        }
        self.init(id: id, name: name, about: about, createdAt: createdAt, changedAt: changedAt, windows: windows)
    }
}
