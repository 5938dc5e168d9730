package import Engine
package import Possession

/// The personal part of an activation, in one record that is sealed in its row (DAT-02).
package struct SealedActivationDetails {
    private static let column: StaticString = "activations.details_sealed"
    /// More than the server ever sets.
    private static let mostFlags = 16

    package let target: Target
    package let details: DeviceActivation.Details

    package init(_ activation: DeviceActivation) {
        target = activation.target
        details = activation.details
    }

    package func sealed(with sealing: Sealing, for id: ActivationID) throws(StorageFault) -> [UInt8] {
        guard details.flags.count <= Self.mostFlags else { throw .corrupt(Self.column) }
        var record = RecordWriter(RecordVersions.activationDetails)
        record.target(target)
        record.text(details.name)
        record.text(details.platform)
        record.text(details.device)
        record.integer(details.flags.count)
        for flag in details.flags { record.text(flag) }
        return try sealing.seal(try record.finished(Self.column), SealingContext(Self.column, row: id).bytes)
    }

    package init(_ sealed: [UInt8], with sealing: Sealing, for id: ActivationID) throws(StorageFault) {
        let bytes = try sealing.open(sealed, SealingContext(Self.column, row: id).bytes)
        var record = try RecordReader(bytes, RecordVersions.activationDetails, Self.column)
        target = try record.target()
        let (name, platform) = (try record.optionalText(), try record.optionalText())
        let device = try record.optionalText()
        var flags: [String] = []
        for _ in 0..<(try record.count(0...Self.mostFlags)) { flags.append(try record.text()) }
        details = DeviceActivation.Details(name: name, platform: platform, device: device, flags: flags)
        try record.end()
    }
}
