package import Possession

/// Takes the values of a statement's parameters. Each engine has its own.
package protocol ParameterTarget: AnyObject {
    /// - Parameters:
    ///   - type: of the parameter, also where the value is NULL.
    ///   - number: from 1 on, as in the statement.
    func bind(_ cell: Cell, _ type: CellType, to number: Int32)
}

/// The values of one run of a statement: each call gives the next parameter its value.
package struct Parameters {
    private let target: any ParameterTarget
    package private(set) var count: Int32 = 0

    package init(_ target: any ParameterTarget) {
        self.target = target
    }

    private mutating func bind(_ cell: Cell, _ type: CellType) {
        count += 1
        target.bind(cell, type, to: count)
    }

    package mutating func integer(_ value: Int64?) {
        bind(value.map { .integer($0) } ?? .null, .integer)
    }

    package mutating func integer(_ value: Int) {
        bind(.integer(Int64(value)), .integer)
    }

    package mutating func flag(_ value: Bool?) {
        integer(value.map { $0 ? 1 : 0 })
    }

    package mutating func time(_ value: Timestamp?) {
        integer(value?.milliseconds)
    }

    package mutating func text(_ value: String?) {
        guard var value else { return bind(.null, .text) }
        value.withUTF8 { bind(.text(UnsafeRawBufferPointer($0)), .text) }
    }

    package mutating func blob(_ value: [UInt8]?) {
        guard let value else { return bind(.null, .blob) }
        value.withUnsafeBytes { bind(.blob($0), .blob) }
    }

    /// Sixteen bytes, most significant first, so that keys sort by time.
    package mutating func identifier(_ value: (some Identifier)?) {
        guard let value else { return bind(.null, .blob) }
        withUnsafeBytes(of: value.bits.bigEndian) { bind(.blob($0), .blob) }
    }

    /// The key that a page begins after; `nil`: no bytes, which sort before every key.
    package mutating func position(_ key: (some Identifier)?) {
        if let key { identifier(key) } else { blob([]) }
    }
}
