"""Verification, Identity Manager and domains, as the backends of two customers use them."""
import uuid
from urllib.parse import quote

from holdfast import expected
from world import BERTIE, LORANT, SHORT_TERM, is_uuid

ELENA, BETTINA, EWEN, HILARY = (f"20010040{number}" for number in (53, 49, 51, 52))
VERIFIED, VERIFIED_ABROAD = "2001004011", "+447968900002"
MERLA, JAIMIE, STANLY = "2001004031", "2001004035", "2001004036"
ELENAS = ("1987-05-14", "900450053", "Sutteridge")


def verify(platform, number, kind, first=None, last=None, **fields):
    names = {name: value for name, value in (("firstName", first), ("lastName", last)) if value}
    return platform.post(
        "/v3/verify", {"phoneNumber": number, "verificationType": kind, "clientRequestId": "r-1", **names, **fields})


def passes(answer, level, number):
    expected(answer, 200, success="true", phoneNumber=number, isEnrolled=True, clientRequestId="r-1")
    assert answer["identity"]["assuranceLevel"] == level, answer
    assert is_uuid(answer["proveId"]) and is_uuid(answer["correlationId"]), answer
    return answer["proveId"]


def fails(answer, level, code, category="identification"):
    expected(answer, 200, success="false", isEnrolled=None, proveId=None)
    assert answer["identity"]["assuranceLevel"] == level, answer
    assert list(answer["evaluation"][category]["failureReasons"]) == [code], answer


def enrol(platform, number, **fields):
    answer = expected(platform.post("/v3/identity", {"phoneNumber": number, **fields}), 200, success=True)
    assert is_uuid(answer["proveId"]) and answer["identityId"] == answer["proveId"], answer
    return answer["proveId"]


def ids(answer):
    return [result["proveId"] for result in expected(answer, 200)["results"]]


def fresh_customers(world, *names):
    """Two API clients that no other scene uses."""
    suffix = uuid.uuid4().hex[:8]
    return [world.plain.added_platform(f"{name}-{suffix}") for name in names]


def restart(site):
    """Every backend has a connection of its own, which the old process takes with it."""
    site.hang_up()
    site.restart()


# Verification

def elena_is_a_verified_user_under_her_own_name_only(world):
    platform = world.plain.platform
    known = passes(verify(platform, ELENA, "verifiedUser", "elena", " COLDMAN "), "AL1", ELENA)
    assert passes(verify(platform, ELENA, "accountOpening", "Elena", "Coldman"), "AL1", ELENA) == known
    wrong = verify(platform, ELENA, "verifiedUser", "Elena", "Coldwoman")
    fails(wrong, "AL0", "9014")
    told = verify(platform, ELENA, "prefill")
    assert passes(told, "AL1", ELENA) == known
    assert all(text in str(told) for text in ELENAS), told
    silent = verify(platform, ELENA, "prefill", "Helena", "Coldman")
    fails(silent, "AL0", "9014")
    for answer in (wrong, silent):
        assert not any(text in str(answer) for text in ELENAS), answer


def bettina_opens_an_account_at_level_2(world):
    passes(verify(world.plain.platform, BETTINA, "accountOpening", "Bettina", "Halbert"), "AL2", BETTINA)
    fails(verify(world.plain.platform, BETTINA, "accountOpening", "Bettina", "Other"), "AL0", "9014")


def ewen_is_a_human_and_hilary_is_not_sure_to_be_one(world):
    for kind in ("humanAssurance", "bot"):
        passes(verify(world.plain.platform, EWEN, kind), "AL1", EWEN)
        fails(verify(world.plain.platform, HILARY, kind), "AL-1", "9133", "risk")


def the_short_term_users_are_verified_under_any_name(world):
    for number in (VERIFIED, VERIFIED_ABROAD):
        passes(verify(world.plain.platform, number, "verifiedUser", "Any", "Body"), "AL1", number)


def a_number_with_nobody_behind_it_is_not_verified(world):
    for kind in ("prefill", "humanAssurance", "identityResolution", "prefillForBiz"):
        fails(verify(world.plain.platform, LORANT, kind), "AL0", "9003")
    expected(verify(world.plain.platform, "2065550123", "prefill"), 400, code=8007)
    expected(verify(world.plain.platform, ELENA, "verifiedUser"), 400, code=8001)


def a_thousand_verifications_come_back_in_order(world):
    item = {"phoneNumber": ELENA, "verificationType": "verifiedUser", "firstName": "Elena", "lastName": "Coldman"}
    items = [{**item, "clientCustomerId": f"c-{number}"} for number in range(1000)]
    items[500] = {**items[500], "lastName": "Other"}
    items[501] = {**items[501], "verificationType": "nonsense"}
    answer = expected(world.plain.platform.post("/v3/verify/batch", {"items": items}), 200)
    results = answer["results"]
    assert [result["clientCustomerId"] for result in results] == [f"c-{number}" for number in range(1000)]
    assert [number for number, result in enumerate(results) if result["success"] == "false"] == [500, 501]
    assert [number for number, result in enumerate(results) if "error" in result] == [501]
    expected(world.plain.platform.post("/v3/verify/batch", {"items": items + [item]}), 400, code=8001)


# Identity Manager

def an_identity_lives_from_its_enrolment_to_its_removal_and_over_a_restart(world):
    platform, = fresh_customers(world, "manager")
    proven = platform.unify(SHORT_TERM)
    known = expected(platform.status(proven["correlationId"]), 200, success="true")["proveId"]
    expected(platform.get(f"/v3/identity/{known}"), 404, code=8010)
    assert enrol(platform, SHORT_TERM, clientCustomerId="c-1") == known
    others = [enrol(platform, number) for number in (MERLA, JAIMIE, STANLY)]
    assert enrol(platform, MERLA) == others[0]
    everybody = ids(platform.get("/v3/identity/"))
    assert everybody == sorted([known, *others]), everybody
    page = expected(platform.get("/v3/identity", limit=3), 200)
    assert ids(page) + ids(platform.get("/v3/identity", limit=3, startKey=page["lastKey"])) == everybody
    expected(platform.post(f"/v3/identity/{known}/deactivate", {}), 200, success=True)
    assert known not in ids(platform.get("/v3/identity"))
    assert ids(platform.get("/v3/identity", showInactive="true")) == everybody
    restart(world.plain)
    for number in ("+1" + SHORT_TERM, SHORT_TERM):
        item, = expected(platform.get(f"/v3/identity/{quote(number, safe='')}/lookup"), 200)["items"]
        assert (item["proveId"], item["active"], item["clientCustomerId"]) == (known, False, "c-1"), item
    item, = platform.get(f"/v3/identity/+1{SHORT_TERM}/lookup")["items"]
    expected(platform.post(f"/v3/identity/{known}/activate", {}), 200, success=True)
    expected(platform.get(f"/v3/identity/{known}"), 200, active=True, phoneNumber="+1" + SHORT_TERM)
    expected(platform.delete(f"/v3/identity/{known}"), 200, success=True)
    for answer in (platform.delete(f"/v3/identity/{known}"), platform.get(f"/v3/identity/{known}")):
        expected(answer, 404, code=8010)
    assert enrol(platform, SHORT_TERM) != known


def a_batch_enrols_what_it_can_in_order(world):
    platform, = fresh_customers(world, "batch")
    numbers = [MERLA, "12", JAIMIE, BERTIE]
    for key in ("items", "identities"):
        answer = platform.post("/v3/identity/batch", {key: [{"phoneNumber": number} for number in numbers]})
        results = expected(answer, 200)["results"]
        assert ["error" in result for result in results] == [False, True, False, False], results
    assert ids(platform.get("/v3/identity")) == sorted(result["proveId"] for result in results if "proveId" in result)
    expected(platform.post("/v3/identity/batch", {"items": [{"phoneNumber": MERLA}] * 101}), 400, code=8001)


# Domains

def two_customers_see_one_anothers_identities_only_while_they_are_linked(world):
    one, other, third = fresh_customers(world, "one", "other", "third")
    mine = enrol(one, MERLA, identityAttributes=[{"attributeType": "tier", "attributeValue": "gold"}])
    theirs = enrol(other, MERLA, identityAttributes=[{"attributeType": "tier", "attributeValue": "iron"}])
    enrol(third, MERLA, identityAttributes=[{"attributeType": "tier", "attributeValue": "lead"}])
    assert len({mine, theirs}) == 2
    domains = {platform: expected(platform.get("/v3/domain/id"), 200)["pcid"] for platform in (one, other, third)}

    def seen(platform, identity):
        values = {
            result["issuerId"]: result["attributeValue"]
            for result in expected(platform.get("/v3/fetch", proveId=identity, attributeId="tier"), 200)["results"]}
        discovered = expected(platform.get("/v3/discover", proveId=identity), 200)["results"]
        assert {result["issuerId"] for result in discovered} == set(values), discovered
        found = expected(platform.post(f"/v3/identity/{identity}/cross-domain", {}), 200)
        assert found["count"] == len(found["identities"])
        return values, [identity["identityId"] for identity in found["identities"]]

    alone = ({domains[one]: "gold"}, [])
    assert seen(one, mine) == alone
    expected(one.get("/v3/discover", proveId=theirs), 404, code=8010)
    expected(one.post("/v3/domain/link", {"pcid": domains[other], "scopes": ["tier", "phoneNumber"]}), 200, success=True)
    assert seen(one, mine) == alone, "a request shows nothing"
    expected(third.post("/v3/domain/confirm-link", {"pcid": domains[one]}), 404, code=8010)
    request, = expected(other.get("/v3/domain/linked"), 200)["requestsFrom"]
    assert (request["pcid"], request["scopes"]) == (domains[one], ["tier", "phoneNumber"]), request
    expected(other.post("/v3/domain/confirm-link", {"pcid": domains[one]}), 200, success=True)
    restart(world.plain)
    assert {platform: platform.get("/v3/domain/id")["pcid"] for platform in domains} == domains
    assert seen(one, mine) == ({domains[one]: "gold", domains[other]: "iron"}, [theirs])
    assert seen(other, theirs)[1] == [mine]
    expected(third.get("/v3/domain/linked"), 200, linkedFrom=None, linkedTo=None)
    stranger = enrol(other, JAIMIE)
    batch = {"items": [{"clientName": "other", "identityId": stranger, "pcid": domains[other]}]}
    assert is_uuid(expected(one.post("/v3/identity/batch", batch), 200)["results"][0]["proveId"])
    assert "error" in third.post("/v3/identity/batch", batch)["results"][0]
    expected(other.post("/v3/domain/unlink", {"pcidFrom": domains[one]}), 200, success=True)
    assert seen(one, mine) == alone


def the_sandbox_clients_keep_their_domain_over_a_restart(world):
    before = [world.plain.new_platform(name).get("/v3/domain/id").json for name in ("sandbox", "sandbox-2")]
    restart(world.plain)
    after = [world.plain.new_platform(name).get("/v3/domain/id").json for name in ("sandbox", "sandbox-2")]
    assert before == after and before[0]["pcid"] != before[1]["pcid"], (before, after)
