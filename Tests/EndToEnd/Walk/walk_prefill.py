"""Pre-Fill and Identity as a backend runs them: every published user step by step, and every step that is not due."""
from exchange import json_bytes, raw_request
from holdfast import Key, Phone, expected
from people import (
    AGRETHA, BENJI, CARNEY, CATHEE, ENID, MARCIA, MARTINA, MILO, NEVIN, OTTOLINE, PEOPLE, VAN, name_of)
from prefill import (
    COMPLETE, DONE, WRONG_DOB, WRONG_NAME, WRONG_SSN, challenged, failing, proven, same, start)
from volley import volley
from world import LORANT, RIGHT, STRANGER, TARGET, WRONG

UNFINISHED = failing("authentication", c9100="possession incomplete")
ALL_GOOD = {"dob": True, "last4": True, "ssn": True}


# What several users have in common

def goes_every_way(site, number, prove):
    """With nothing, the SSN and the birth date at start; each way once, up to the end."""
    person = PEOPLE[number]
    for at_start, at_challenge in (
            ({}, {"dob": person["dob"]}), ({"ssn": person["ssn"][-4:]}, {}), ({"dob": person["dob"]}, {})):
        run = start(site, number, **at_start)
        prove(run)
        run.is_proven(missing=not at_start)
        run.shows(number, **at_challenge)
        run.completes(person)


def by_code(run):
    client = run.client(device_key=Key())
    run.is_pending()
    expected(client.start(), 200, step="device")
    expected(client.device(), 200, step="otpStart")
    expected(client.otp(), 200, step="otpFinish")
    run.is_pending()
    assert run.messages()[0]["code"] == RIGHT
    expected(client.verify(RIGHT), 200, status="done", outcome="succeeded")


def by_mobile_auth(run):
    client = run.client()
    run.is_pending()
    expected(client.to_mobile_auth(), 200, step="mobileAuth")
    expected(client.mobile_auth(Phone()), 200, outcome="succeeded")
    assert run.messages() == []


def completes_without_a_challenge(site, number, prove, **blocks):
    """Prove Identity: the names at the end, and nothing shown before."""
    for individual, changed in (
            (name_of(number), False), (PEOPLE[number], False), ({"ssn": PEOPLE[number]["ssn"][-4:]}, False),
            ({**name_of(number), "addresses": [{"city": "Elsewhere"}]}, True)):
        run = start(site, number)
        prove(run)
        run.is_proven(missing=False, then=COMPLETE)
        expected(run.challenge(dob=PEOPLE[number]["dob"]), 403, code=8003)
        run.completes(individual, changed, **blocks)
    wrong = start(site, number)
    prove(wrong)
    wrong.is_proven(missing=False, then=COMPLETE)
    same(wrong.complete(firstName="Somebody", lastName="Else"), {
        "success": False, "next": DONE, "changeDetected": True, "evaluation": WRONG_NAME})
    expected(wrong.complete(**name_of(number)), 403, code=8003)


def at_once(_):
    """Short-term users need no client."""


# The users

def milo_pinson_needs_no_client(world):
    goes_every_way(world.plain, MILO, at_once)


def marcia_longo_passes_by_the_code_and_has_two_addresses(world):
    goes_every_way(world.plain, MARCIA, by_code)
    for address in PEOPLE[MARCIA]["addresses"]:
        challenged(world.plain, MARCIA).completes({**name_of(MARCIA), "addresses": [address]})
    mixed = {**PEOPLE[MARCIA]["addresses"][0], "city": "Memphis"}
    challenged(world.plain, MARCIA).completes({**name_of(MARCIA), "addresses": [mixed]}, changed=True)


def nevin_chattey_passes_by_code_key_and_link(world):
    site, key = world.plain, Key()
    goes_every_way(site, NEVIN, by_code)
    start(site, NEVIN).prove(device_key=key).is_proven(missing=True)
    known = start(site, NEVIN)
    expected(known.client(device_key=key).to_code_entry(), 200, status="done", outcome="succeeded")
    known.is_proven(missing=True)
    assert known.messages() == []
    run = start(site, NEVIN, "desktop", finalTargetUrl=TARGET)
    run.client().to_link_wait()
    run.is_pending()
    assert Phone().approve(run.newest_link()).status == 303
    run.is_proven(missing=True)
    run.shows(NEVIN, ssn=PEOPLE[NEVIN]["ssn"])
    run.completes(PEOPLE[NEVIN])


def agretha_chene_fails_at_validate(world):
    run = start(world.plain, AGRETHA)
    run.is_pending()
    expected(run.client().authenticate(RIGHT), 200, outcome="failed")
    low_trust = {"authentication": {"result": "pass"}, **failing("risk", c9133="low SIM trust score")}
    run.is_refused(low_trust)
    expected(run.challenge(dob=PEOPLE[AGRETHA]["dob"]), 403, code=8003)
    expected(run.complete(**name_of(AGRETHA)), 403, code=8003)


def cathee_simmonett_passes_by_mobile_auth_named_or_found(world):
    goes_every_way(world.plain, CATHEE, by_mobile_auth)
    run = start(world.plain)
    run.is_pending()
    client = run.client()
    expected(client.to_mobile_auth(), 200)
    expected(client.mobile_auth(Phone(), CATHEE), 200, outcome="succeeded")
    run.is_proven(missing=True, number="+1" + CATHEE)
    run.shows(CATHEE, ssn="0999")
    run.completes(name_of(CATHEE))


def van_moors_passes_by_mobile_auth(world):
    goes_every_way(world.plain, VAN, by_mobile_auth)


def martina_goodram_has_high_confidence_and_no_hits(world):
    site = world.plain
    answer = short_term_identity(site, MARTINA)
    idv, kyc = answer["idv"], answer["kyc"]
    assert idv["multiCIPConfidence"] == "HIGH" and kyc == {"totalHits": 0}, answer
    for source in (idv["dataSource1"], idv["dataSource2"]):
        assert source["cipConfidence"] == "HIGH" and source["identifiers"] == ALL_GOOD, source
        assert source["email"] == {"emailAddress": True} and source["name"]["nameScore"] == 100, source
    completes_without_a_challenge(site, MARTINA, at_once, idv=idv, kyc=kyc)


def ottoline_varga_has_low_confidence_and_four_hits(world):
    site = world.plain
    answer = short_term_identity(site, OTTOLINE)
    idv, kyc = answer["idv"], answer["kyc"]
    assert idv["multiCIPConfidence"] == "LOW" and kyc["totalHits"] == 4, answer
    assert sum(entry["listHits"] for entry in kyc["amlTypeLists"]) == 4, kyc
    assert "email" not in idv["dataSource2"] and idv["dataSource1"]["address"]["distance"] == 812.4, idv
    completes_without_a_challenge(site, OTTOLINE, at_once, idv=idv, kyc=kyc)


def short_term_identity(site, number):
    run = start(site, number)
    run.is_proven(missing=False, then=COMPLETE)
    return expected(run.complete(**PEOPLE[number]), 200, success=True)


def benji_harper_enid_wildt_and_carney_reinisch_need_no_challenge(world):
    for number in (BENJI, ENID, CARNEY):
        completes_without_a_challenge(world.plain, number, by_code)


# The proof of the number

def a_wrong_code_or_a_cancel_fails_at_validate(world):
    site = world.plain
    for number in (MARCIA, BENJI):
        wrong, cancelled = start(site, number), start(site, number)
        expected(wrong.client().authenticate(WRONG), 400, code=10001)
        client = cancelled.client()
        expected(client.start(), 200)
        expected(client.cancel(), 200, outcome="cancelled")
        for run in (wrong, cancelled):
            run.is_refused(UNFINISHED)
            for answer in (run.challenge(dob=PEOPLE[number]["dob"]), run.complete(**name_of(number))):
                expected(answer, 403, code=8003)


def several_codes_may_be_tried_where_the_backend_allows_it(world):
    run = start(world.plain, MARCIA, allowOTPRetry=True)
    client = run.client()
    client.to_code_entry()
    for _ in range(2):
        expected(client.verify(WRONG), 400, code=10001)
        run.is_pending()
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    run.is_proven(missing=True)


def a_number_without_a_person_fails_at_its_challenge(world):
    nobody = failing("identification", c9003="identity not found")
    proven(world.plain, LORANT).shows_nothing(nobody, ssn="1234")


def the_number_that_was_proven_counts_and_not_the_one_at_the_start(world):
    site = world.plain
    for number, passes in ((NEVIN, True), (AGRETHA, False)):
        run = start(site, MARCIA)
        client = run.client()
        client.to_code_entry()
        expected(client.phone(number), 200)
        expected(client.verify(RIGHT), 200, outcome="succeeded" if passes else "failed")
        if not passes:
            expected(run.validate(), 200, success=False, next=DONE)
            continue
        run.is_proven(missing=True, number="+1" + number)
        run.shows(NEVIN, dob=PEOPLE[NEVIN]["dob"])


def a_developer_may_decide_without_a_client(world):
    site = world.plain
    good, bad = start(site, MARCIA), start(site, MARCIA)
    expected(site.sandbox.complete(good.correlation_id, "success"), 200)
    expected(site.sandbox.complete(bad.correlation_id, "failure"), 200)
    good.is_proven(missing=True)
    bad.is_refused(UNFINISHED)


def a_text_of_the_backends_own_carries_the_code(world):
    run = start(world.plain, MARCIA, smsMessage="Bank: ######")
    run.client().to_code_entry()
    assert run.messages()[0]["code"] == "123456" and "Bank: 123456" in run.messages()[0]["text"], run.messages()


# Steps in their order

def steps_out_of_order_are_refused_and_change_nothing(world):
    site = world.plain
    dob, person = {"dob": PEOPLE[MARCIA]["dob"]}, PEOPLE[MARCIA]
    run = start(site, MARCIA)
    for answer in (run.challenge(**dob), run.complete(**person)):
        expected(answer, 403, code=8003)
    run.is_pending()
    run.prove()
    for answer in (run.challenge(**dob), run.complete(**person)):
        expected(answer, 403, code=8003)  # proven, and not yet validated
    run.is_proven(missing=True)
    expected(run.complete(**person), 403, code=8003)
    expected(run.challenge(), 400, code=8001)
    run.shows(MARCIA, **dob)
    expected(run.challenge(**dob), 403, code=8003)
    run.is_proven(missing=True, then={"v3-complete": "/v3/complete"})
    run.completes(person)
    for answer in (run.challenge(**dob), run.complete(**person)):
        expected(answer, 403, code=8003)
    run.is_proven(missing=True, then=DONE)
    assert run.timeline()[-3:] == ["number_validated", "challenge_passed", "identity_confirmed"], run.timeline()


def steps_of_others_are_unknown(world):
    site = world.plain
    other, unify = site.new_platform("sandbox-2"), site.unify(MARCIA)
    expected(unify.client().authenticate(RIGHT), 200)
    mine = proven(site, MARCIA)
    unknown = "0197a6e2-0000-7000-8000-000000000000"
    for platform, correlation_id in (
            (other, mine.correlation_id), (site.platform, unify.correlation_id), (site.platform, unknown),
            (site.platform, "no-uuid"), (site.platform, mine.auth_token)):
        for answer in (
                platform.validate(correlation_id), platform.challenge(correlation_id, dob=PEOPLE[MARCIA]["dob"]),
                platform.complete(correlation_id, **PEOPLE[MARCIA])):
            expected(answer, 400, code=8008)
    for platform in (site.platform, other):
        expected(platform.status(mine.correlation_id), 400, code=8008)
        expected(platform.bind(mine.correlation_id, MARCIA), 400, code=8008)
    unify.result("true", MARCIA, "proveId")
    mine.shows(MARCIA, dob=PEOPLE[MARCIA]["dob"])  # nobody's call has changed it
    completed = start(site, MARCIA, platform=other).prove()
    completed.is_proven(missing=True)
    expected(site.platform.validate(completed.correlation_id), 400, code=8008)


def a_wrong_birth_date_or_ssn_ends_the_run(world):
    site, person = world.plain, PEOPLE[MARCIA]
    both = failing("identification", c9012="SSN mismatch", c9013="date of birth mismatch")
    for claim, evaluation in (
            ({"dob": "1982-07-18"}, WRONG_DOB), ({"dob": "1982-08"}, WRONG_DOB), ({"dob": "07-18"}, WRONG_DOB),
            ({"ssn": "470806228"}, WRONG_SSN), ({"ssn": "6228"}, WRONG_SSN),
            ({"dob": person["dob"], "ssn": "6228"}, WRONG_SSN), ({"dob": "1982-07-18", "ssn": "6227"}, WRONG_DOB),
            ({"dob": "1982-07-18", "ssn": "6228"}, both)):
        run = proven(site, MARCIA)
        run.shows_nothing(evaluation, **claim)
        expected(run.challenge(dob=person["dob"]), 403, code=8003)
        expected(run.complete(**person), 403, code=8003)
        early = proven(site, MARCIA, **claim)
        early.shows_nothing(evaluation)


def a_part_of_either_is_enough(world):
    site = world.plain
    for claim in (
            {"dob": "1982-07-19"}, {"dob": "1982-07"}, {"dob": "07-19"}, {"ssn": "470806227"}, {"ssn": "6227"},
            {"last4SSN": "6227"}, {"dob": "07-19", "ssn": "6227"}, {"dob": "", "ssn": "6227"}):
        proven(site, MARCIA).shows(MARCIA, **claim)
        early = proven(site, MARCIA, **claim)
        early.is_proven(missing=False)
        early.shows(MARCIA)


def members_of_other_times_and_null_ones_are_as_good_as_absent(world):
    site = world.plain
    run = start(site, MARCIA, deviceId="", flowId="f-1", ssn=None, dob=None, finalTargetUrl=None).prove()
    run.is_proven(missing=True)
    expected(run.challenge(dob=None, ssn=None), 400, code=8001)
    run.shows(MARCIA, dob="1982-07", ssn=None, requestId="r-1")
    run.completes({**name_of(MARCIA), "dob": None, "addresses": None, "emailAddresses": None, "gender": "x"})


def of_many_calls_at_one_moment_one_is_taken(world):
    site = world.plain
    for run, path, value in (
            (proven(site, MARCIA), "/v3/challenge", {"dob": "1982-07-19"}),
            (challenged(site, MARCIA), "/v3/complete", {"individual": name_of(MARCIA)})):
        body = json_bytes({"correlationId": run.correlation_id, **value})
        headers = {"Authorization": f"Bearer {site.platform.access_token}", "Content-Type": "application/json"}
        request = raw_request("POST", path, f"127.0.0.1:{site.server.port}", headers, body)
        statuses = sorted(answer.status for answer in volley(site.server, [request] * 20))
        assert statuses == [200] + [403] * 19, f"{path}: {statuses}"


def what_is_sent_to_challenge_replaces_what_was_sent_to_start(world):
    site = world.plain
    proven(site, MARCIA, dob="1982-07-18").shows(MARCIA, dob="1982-07-19")
    proven(site, MARCIA, ssn="6228").shows(MARCIA, ssn="6227")
    proven(site, MARCIA, ssn="6227").shows_nothing(WRONG_SSN, ssn="6228")


def the_end_compares_names_birth_date_and_ssn_and_notes_the_rest(world):
    site, name = world.plain, name_of(MARCIA)
    address = PEOPLE[MARCIA]["addresses"][0]
    for individual in (
            {"firstName": " MARCIA ", "lastName": "longo"}, {"ssn": "470806227"}, {"last4SSN": "6227"},
            {**name, "dob": "07-19"}, {**name, "dob": "1982-07", "ssn": "6227"},
            {**name, "emailAddresses": ["MLongok@AmazonAWS.com"]},
            {**name, "addresses": [{**address, "address": "00  mallard park"}]},
            {**name, "addresses": [address, {"city": "Elsewhere"}], "emailAddresses": [
                "mlongok@amazonaws.com", "other@example.com"]}, {**name, "addresses": [], "emailAddresses": []}):
        challenged(site, MARCIA).completes(individual)
    for individual in (
            {**name, "addresses": [{**address, "postalCode": "70166"}]},
            {**name, "addresses": [{**address, "extendedAddress": "Apt 2"}]},
            {**name, "emailAddresses": ["other@example.com"]}):
        challenged(site, MARCIA).completes(individual, changed=True)
    for individual, evaluation in (
            ({**name, "firstName": "Marcus"}, WRONG_NAME), ({**name, "dob": "07-20"}, WRONG_DOB),
            ({"ssn": "6228"}, WRONG_SSN), ({**name, "ssn": "470806228"}, WRONG_SSN)):
        run = challenged(site, MARCIA)
        same(run.complete(**individual), {
            "success": False, "next": DONE, "changeDetected": True, "evaluation": evaluation})
        expected(run.complete(**name), 403, code=8003)


def a_postal_code_counts_by_its_five_digits(world):
    for code in ("80161", "80161-2001"):
        run = start(world.plain, MILO, ssn="0596")
        run.is_proven(missing=False)
        run.shows(MILO)
        run.completes({**name_of(MILO), "addresses": [{**PEOPLE[MILO]["addresses"][0], "postalCode": code}]})


def what_is_not_well_formed_is_named_and_changes_nothing(world):
    site = world.plain
    starts = [
        ({}, "flowType"), ({"flowType": "none"}, "flowType"), ({"flowType": "desktop"}, "finalTargetUrl"),
        ({"flowType": "mobile", "dob": "19-07-1982"}, "dob"), ({"flowType": "mobile", "dob": "1982-02-30"}, "dob"),
        ({"flowType": "mobile", "ssn": "622"}, "ssn"), ({"flowType": "mobile", "ssn": "47080622a"}, "ssn"),
        ({"flowType": "mobile", "last4SSN": "62271"}, "last4SSN"), ({"flowType": "mobile", "ssn": 6227}, "ssn"),
        ({"flowType": "mobile", "smsMessage": "no code"}, "smsMessage"),
        ({"flowType": "mobile", "allowOTPRetry": "true"}, "allowOTPRetry"),
        ({"flowType": "mobile", "ipAddress": "10.0.0.0/8"}, "ipAddress"),
        ({"flowType": "mobile", "emailAddress": "a b@c.example"}, "emailAddress")]
    for fields, name in starts:
        answer = site.platform.post("/v3/start", {"phoneNumber": MARCIA, **fields})
        assert answer.status == 400 and answer["code"] == 8001, f"{fields}: {answer}"
        assert f"'{name}'" in answer["message"], f"{name} is not named: {answer}"
    assert "field 'flowType' is missing" in site.platform.post("/v3/start", {})["message"]
    expected(site.platform.start(STRANGER), 400, code=8007)
    run = challenged(site, MARCIA)
    waiting = proven(site, MARCIA)
    for individual, name in (
            (None, "individual"), ([], "individual"), ({}, "individual"), ({"firstName": "Marcia"}, "individual"),
            ({"firstName": "Marcia", "lastName": " "}, None), ({"firstName": 1, "lastName": "Longo"}, "firstName"),
            ({**name_of(MARCIA), "dob": "19"}, "individual.dob"),
            ({**name_of(MARCIA), "addresses": ["x"]}, "individual.addresses[0]")):
        value = {"correlationId": run.correlation_id, "individual": individual}
        if name is not None:
            answer = expected(site.platform.post("/v3/complete", value), 400, code=8001)
            assert f"'{name}'" in answer["message"] or name in answer["message"], answer
    for claim in ({"dob": "x"}, {"ssn": "12345"}, {"dob": 19820719}):
        expected(waiting.challenge(**claim), 400, code=8001)
    for path in ("/v3/validate", "/v3/challenge", "/v3/complete"):
        for value in ({}, {"correlationId": None}):
            answer = expected(site.platform.post(path, value), 400, code=8001)
            assert "field 'correlationId' is missing" in answer["message"], answer
    waiting.shows(MARCIA, dob="07-19")
    run.completes(name_of(MARCIA))


def a_run_lives_fifteen_minutes(world):
    site, dob = world.simulated, PEOPLE[MARCIA]["dob"]
    early, late = ({
        "pending": start(site, MARCIA), "done": start(site, MARCIA).prove(), "proven": proven(site, MARCIA),
        "challenged": challenged(site, MARCIA)} for _ in range(2))
    site.advance(890)
    early["pending"].is_pending()
    early["done"].is_proven(missing=True)
    early["proven"].shows(MARCIA, dob=dob)
    early["challenged"].completes(name_of(MARCIA))
    site.advance(12)
    for run in late.values():
        expected(run.challenge(dob=dob), 400, code=8008)
        expected(run.complete(**name_of(MARCIA)), 400, code=8008)
    for run in (*early.values(), *late.values()):
        expected(run.validate(), 400, code=8008)
    slow = start(site, MARCIA)
    site.advance(600)
    slow.prove().is_proven(missing=True)
    site.advance(310)
    expected(slow.challenge(dob=dob), 400, code=8008)
    slow.is_proven(missing=True)  # as a result, for fifteen minutes more
    site.advance(600)
    expected(slow.validate(), 400, code=8008)


def a_run_survives_a_restart_at_every_step(world):
    site = world.plain
    waiting, ready, last = start(site, MARCIA, ssn="6227"), proven(site, MARCIA), challenged(site, MARCIA)
    site.restart()
    waiting.is_pending()
    by_code(waiting)
    waiting.is_proven(missing=False)
    waiting.shows(MARCIA)
    ready.shows(MARCIA, ssn="6227")
    last.completes(name_of(MARCIA))
