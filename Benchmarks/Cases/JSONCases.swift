internal import StrictJSON

extension Case {
    static let jsonIn = Case(name: "json in") {
        let bytes = Array(body.utf8)
        return { keep(try? JSONObject.parse(bytes)) }
    }

    static let jsonOut = Case(name: "json out") {
        let token = String(repeating: "a", count: 530)
        return {
            var object = JSONObject()
            object.set("correlationId", "01a1ff1d-2ef3-7361-9c59-13c6c375e1d9")
            object.set("success", "pending")
            object.set("authToken", token)
            keep(object.serialized())
        }
    }
}
