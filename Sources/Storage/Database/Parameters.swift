package import Possession

/// Takes the values of a statement's parameters. Each engine has its own.
package protocol ParameterTarget: AnyObject {
    /// - Parameter number: from 1 on, as in the statement.
    func bind(_ cell: Cell, to number: Int32)
}

/// The values of one run of a statement: each call gives the next parameter its value.
package struct Parameters {
    private let target: any ParameterTarget
    package private(set) var count: Int32 = 0

    package init(_ target: any ParameterTarget) {
        self.target = target
    }

    private mutating func bind(_ cell: Cell) {
        count += 1
        target.bind(cell, to: count)
    }

    package mutating func null() {
        bind(.null)
    }

    package mutating func integer(_ value: Int64?) {
        if let value { bind(.integer(value)) } else { null() }
    }

    package mutating func integer(_ value: Int) {
        bind(.integer(Int64(value)))
    }

    package mutating func flag(_ value: Bool?) {
        integer(value.map { $0 ? 1 : 0 })
    }

    package mutating func time(_ value: Timestamp?) {
        integer(value?.milliseconds)
    }

    package mutating func text(_ value: String?) {
        guard var value else { return null() }
        value.withUTF8 { bind(.text(UnsafeRawBufferPointer($0))) }
    }

    package mutating func blob(_ value: [UInt8]?) {
        guard let value else { return null() }
        value.withUnsafeBytes { bind(.blob($0)) }
    }

    /// Sixteen bytes, most significant first, so that keys sort by time.
    package mutating func identifier(_ value: (some Identifier)?) {
        guard let value else { return null() }
        withUnsafeBytes(of: value.bits.bigEndian) { bind(.blob($0)) }
    }

    /// The key that a page begins after; `nil`: no bytes, which sort before every key.
    package mutating func position(_ key: (some Identifier)?) {
        if let key { identifier(key) } else { blob([]) }
    }
}
