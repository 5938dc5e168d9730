"""A description with what it says in words put into its schemas, for a check that takes them by the letter.

The documents are written for people and for generators of clients. Two things stand in words there, because a generated
client would have classes and branches for them in every call: that null and "" count as absent in requests, and what any
call may answer, which is one `default` response with its statuses in `x-statuses`.
"""

import copy

PREFIX = "#/components/schemas/"
FORM = "application/x-www-form-urlencoded"
# Behind the name of a schema as requests may fill it.
GIVEN = "Given"


def exactly(described):
    described = copy.deepcopy(described)
    schemas = described["components"]["schemas"]
    given = {name: loosened(schema) for name, schema in copy.deepcopy(schemas).items()}
    for item in described["paths"].values():
        for operation in item.values():
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                content["schema"] = loosened(content["schema"])
                if kind == FORM:
                    # Each field is a text: a form has no null.
                    name = content["schema"]["$ref"].removeprefix(PREFIX).removesuffix(GIVEN)
                    given[name] = loosened(schemas[name], has_null=False)
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "query" and not parameter["required"]:
                    parameter["schema"] = absent(parameter["schema"], has_null=False)
            spread(operation["responses"], described["components"]["responses"])
    schemas.update({name + GIVEN: schema for name, schema in given.items()})
    return described


def loosened(schema, has_null=True):
    """The schema of a request: each member that may be absent may be null, or an empty text, as well."""
    if isinstance(schema, list):
        return [loosened(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return schema | {"$ref": schema["$ref"] + GIVEN}
    whole = {word: loosened(part) for word, part in schema.items() if word != "properties"}
    # What stands in `then` and `not` says what must be there.
    is_shape = "type" in schema
    needed = schema.get("required", [])
    if "properties" in schema:
        whole["properties"] = {
            name: absent(loosened(part), has_null) if is_shape and name not in needed else loosened(part)
            for name, part in schema["properties"].items()}
    return whole


def absent(schema, has_null):
    """The schema, or what counts as absent."""
    if not schema.keys() & {"type", "$ref", "anyOf"}:
        return schema
    null = [{"type": "null"}] if has_null else []
    empty = [{"const": ""}] if schema.get("type") == "string" or not has_null else []
    return {"anyOf": [schema] + null + empty}


def spread(responses, named):
    """Each status of the default response by itself, unless the call has it already."""
    general = responses.pop("default", None)
    if general is None:
        return
    response = named[general["$ref"].rsplit("/", 1)[1]]
    for status in response["x-statuses"]:
        responses.setdefault(str(status), general)
