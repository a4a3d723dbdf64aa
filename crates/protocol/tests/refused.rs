//! Answers that the coordinator does not take: each is refused by name, and changes nothing.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with other tests")]
mod world;

use fedcdi_core::{Choice, ClientId, SchemaHash};
use fedcdi_protocol::answer::{Answer, Joined, Refused, Reply};
use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::coordinator::RefusalKind::*;
use fedcdi_protocol::rules::{Evidence, Median, Naive, Proximity, Space};
use fedcdi_protocol::{Digest, Receipt};
use world::disk::Disk;
use world::parties::World;
use world::plans::{plan_by, with_tests};
use world::stage::{Stage, lenient};
use world::wire;

fn with(answer: &Answer, change: impl FnOnce(&mut Answer)) -> Vec<u8> {
    let mut answer = answer.clone();
    change(&mut answer);
    answer.encode()
}

#[test]
fn bytes_that_are_no_answer() {
    let world = World::new(with_tests(plan_by::<Evidence>(3, 3)));
    let mut stage = Stage::of(world.clone());
    let honest = stage.honest(1).encode();
    let limit = world.longest_message();
    let not_canonical = "in another form";
    let cut = &honest[..honest.len() - 1];
    let version = |version: u64| [&wire::uint(1, version), &honest[2..]].concat();
    let longer_version = [&[0x08, 0x82, 0x00], &honest[2..]].concat();
    let long = [&honest[..], &vec![0; limit]].concat();
    let no_reply = &honest[..2 + 34 + 34 + 2];
    let code = |code| [no_reply, &wire::bytes(8, &wire::uint(1, code))].concat();
    let short_plan = [&honest[..2], &wire::bytes(2, &[7; 31]), &honest[36..]].concat();
    let short_question = [&honest[..36], &wire::bytes(3, &[7; 33]), &honest[70..]].concat();
    let nine_bytes = [no_reply, &wire::bytes(6, &wire::bytes(1, &[1; 9]))].concat();
    for (name, answer, why) in [
        ("nothing", &[][..], "version 0"),
        ("zeros", &[0; 40], "not a message"),
        ("text", b"{\"addends\": [1, 1]}", "not a message"),
        ("cut off", cut, "not a message"),
        ("cut to the head", no_reply, "its reply is missing"),
        ("no version", &honest[2..], "version 0"),
        ("a later version", &version(3), "version 3"),
        ("a needless byte", &longer_version, not_canonical),
        (
            "a byte too many",
            &[&honest[..], &[0]].concat(),
            "not a message",
        ),
        (
            "an unknown field",
            &[&honest[..], &wire::uint(15, 1)].concat(),
            not_canonical,
        ),
        (
            "everything twice",
            &[&honest[..], &honest[..]].concat(),
            not_canonical,
        ),
        ("too long", &long, "at most"),
        ("a short plan", &short_plan, "its plan"),
        ("a long question", &short_question, "its question"),
        ("no reason to refuse", &code(0), not_canonical),
        ("an unknown reason to refuse", &code(4), "reason to refuse"),
        ("addends of nine bytes", &nine_bytes, "not a message"),
    ] {
        stage.refuses(name, 1, answer, (Unreadable, why));
    }
    stage.still_takes_the_honest_answer();
}

#[test]
fn answers_of_others() {
    let mut stage = Stage::by(Choice::of(&Evidence::default()));
    let honest = stage.honest(1);
    let bytes = honest.encode();
    let site = |site| with(&honest, |answer| answer.site = ClientId(site));
    let other_plan = with(&honest, |answer| answer.plan = Digest::of(b"other"));
    for (name, from, answer, why) in [
        ("from site 0", 0, &bytes, (UnknownSite, "site 0")),
        ("from site K + 1", 4, &bytes, (UnknownSite, "site 4")),
        ("as site 0", 0, &site(0), (UnknownSite, "site 0")),
        ("as site K + 1", 4, &site(4), (UnknownSite, "site 4")),
        ("another's", 2, &bytes, (OtherSite, "from site 1")),
        ("claims site 0", 1, &site(0), (OtherSite, "from site 0")),
        ("claims K + 1", 1, &site(4), (OtherSite, "from site 4")),
        ("another plan", 1, &other_plan, (OtherPlan, "another plan")),
        ("not joined", 3, &site(3), (NotJoined, "site 3")),
    ] {
        stage.refuses(name, from, answer, why);
    }
    stage.still_takes_the_honest_answer();
}

#[test]
fn answers_to_something_else() {
    let mut stage = Stage::by(Choice::of(&Evidence::default()));
    let honest = stage.honest(1);
    let reply = |reply: Reply| with(&honest, |answer| answer.reply = reply);
    let join = stage.honest(3);
    let joined = |change: fn(&mut Joined)| {
        with(&join, |answer| match &mut answer.reply {
            Reply::Joined(joined) => change(joined),
            other => panic!("{other:?}"),
        })
    };
    let future = with(&honest, |answer| answer.question = Digest::of(b"round 3"));
    let again = with(&stage.honest(3), |answer| answer.site = ClientId(1));
    let other_schema = joined(|joined| joined.schema = SchemaHash::from_bytes([9; 32]));
    let long_profile = joined(|joined| joined.profile = vec![b' '; 4096 + 4096]);
    let with_mass = joined(|joined| joined.largest = 5);
    let as_joined = reply(join.reply.clone());
    let as_believed = with(&join, |answer| answer.reply = Reply::Believed(vec![1]));
    let as_finished = with(&join, |answer| answer.reply = Reply::Finished);
    for (name, from, answer, why) in [
        (
            "a round to come",
            1,
            &future,
            (OtherQuestion, "never asked"),
        ),
        (
            "finished",
            1,
            &reply(Reply::Finished),
            (OtherKind, "site 1"),
        ),
        (
            "joined a round",
            1,
            &as_joined,
            (OtherKind, "something else"),
        ),
        ("believed a join", 3, &as_believed, (OtherKind, "site 3")),
        ("finished a join", 3, &as_finished, (OtherKind, "site 3")),
        (
            "joined otherwise",
            1,
            &again,
            (Conflict, "first one counts"),
        ),
        ("another schema", 3, &other_schema, (Schema, "categories")),
        ("a long profile", 3, &long_profile, (Profile, "too long")),
        (
            "a mass that no rule has",
            3,
            &with_mass,
            (OtherKind, "site 3"),
        ),
    ] {
        stage.refuses(name, from, answer, why);
    }
    stage.still_takes_the_honest_answer();
}

#[test]
fn a_profile_that_the_plan_does_not_ask_for() {
    let mut world = World::new(plan_by::<Naive>(3, 3));
    world.plan.disclosure.profile = false;
    let mut stage = Stage::of(world);
    let join = stage.honest(3);
    let Reply::Joined(joined) = &join.reply else {
        panic!("site 3 is asked to join");
    };
    assert!(joined.profile.is_empty());
    let profile = with(&join, |answer| {
        let profile = b"{}".to_vec();
        let joined = joined.clone();
        answer.reply = Reply::Joined(Joined { profile, ..joined });
    });
    stage.refuses("unasked", 3, &profile, (Profile, "does not ask for"));
    stage.take(3, &join.encode());
}

#[test]
fn answers_that_come_too_early_or_too_late() {
    let world = lenient(World::new(with_tests(plan_by::<Evidence>(3, 3))));
    let mut stage = Stage::of(world.clone());
    let (first, second) = (stage.honest(1), stage.honest(2));
    let disk = Disk::default();
    let mut early = Stage {
        coordinator: world.coordinator(&disk),
        sites: Vec::new(),
        disk,
    };
    early.refuses("early", 1, &first.encode(), (NotAsking, "at the moment"));
    // Round 2 is closed without the second site.
    stage.take(1, &first.encode());
    stage
        .coordinator
        .apply(&Input::Close { number: 2 })
        .unwrap();
    assert_eq!(stage.coordinator.number(), Some(3));
    stage.refuses("late", 2, &second.encode(), (OtherQuestion, "closed"));
    let other = with(&first, |answer| {
        answer.reply = Reply::Refused(Refused::Failed);
    });
    stage.refuses("changed its mind", 1, &other, (Conflict, "sent another"));
    let renamed = with(&stage.honest(1), |answer| answer.question = first.question);
    stage.refuses("of the next round", 1, &renamed, (Conflict, "site 1"));
    while let Some(number) = stage.coordinator.number() {
        stage.coordinator.apply(&Input::Cancel).unwrap();
        let answer = stage.honest(1).encode();
        stage.take(1, &answer);
        stage.coordinator.apply(&Input::Close { number }).unwrap();
    }
    assert!(stage.coordinator.state().outcome().is_some());
    stage.refuses(
        "after the end",
        2,
        &second.encode(),
        (NotAsking, "at the moment"),
    );
}

/// Where the blocks begin in an answer over three variables: two numbers, terms, six votes, tests.
fn first_vote(n_terms: usize) -> usize {
    2 + n_terms
}

#[test]
fn numbers_that_no_site_sends() {
    let mut stage = Stage::by(Choice::of(&Naive { space: Space::Psi }));
    let mut honest = stage.honest(1);
    let Reply::Believed(addends) = &honest.reply else {
        panic!("a round asks for addends");
    };
    let (addends, n_terms) = (addends.clone(), 2 * 6);
    let (votes, tests) = (first_vote(n_terms), first_vote(n_terms) + 6);
    let (g, told) = (tests, tests + 1);
    assert!(addends.len() > told, "the round asks for tests");
    for (name, n) in [("none", 0), ("one", 1), ("without tests", tests)] {
        honest.reply = Reply::Believed(addends[..n].to_vec());
        let why = (Addends, "addends, where plan and question have");
        stage.refuses(name, 1, &honest.encode(), why);
    }
    let longer = [&addends[..], &[0, 0]].concat();
    honest.reply = Reply::Believed(longer);
    stage.refuses(
        "one more test",
        1,
        &honest.encode(),
        (Addends, "addends, where"),
    );
    let one = 1i64 << 28;
    let nan = f64::NAN.to_bits().cast_signed();
    let (place, large, terms) = ("place can have", "one site may add", "the rule gives");
    for (name, at, addend, why) in [
        ("nobody answers", 0, 0, place),
        ("answers twice", 0, 2, place),
        ("half from psi", 1, 2, place),
        ("minus from psi", 1, -1, place),
        ("a value that is huge", 2, i64::MAX, large),
        ("a value that is hugely negative", 2, i64::MIN, large),
        ("a value like NaN", 2, nan, large),
        ("just too large", 2, (1 << 62) / 3 + 1, large),
        ("a value beyond its weight", 2, addends[8] + one, terms),
        ("a negative probability", 2, -one, terms),
        ("a weight that is negative", 8, -one, terms),
        ("a weight of a bit below 0", 8, -1, terms),
        ("a weight that is huge", 8, i64::MAX, large),
        ("a weight of nothing", 8, 0, terms),
        ("two votes", votes, 2, place),
        ("a vote against", votes + 5, -1, place),
        ("a vote like NaN", votes, nan, place),
        ("G below 0", g, -1, place),
        ("G beyond fifty deviations", g, 1 << 20, place),
        ("G that is huge", g, i64::MAX, place),
        ("told twice", told, 2, place),
        ("told and not", told, -1, place),
        ("told by so many that G overflows", told, i64::MAX, place),
        ("told by the lowest number", told, i64::MIN, place),
    ] {
        stage.refuses_addend(name, at, addend, why);
    }
    stage.still_takes_the_honest_answer();
}

#[test]
fn a_statistic_of_a_test_that_was_not_told() {
    let mut stage = Stage::by(Choice::of(&Naive { space: Space::Psi }));
    let mut answer = stage.honest(1);
    let Reply::Believed(addends) = &mut answer.reply else {
        panic!("a round asks for addends");
    };
    let tests = first_vote(2 * 6) + 6;
    addends[tests] = 1;
    addends[tests + 1] = 0;
    let why = (Addends, "place can have");
    stage.refuses("G without a flag", 1, &answer.encode(), why);
}

#[test]
fn terms_that_no_belief_gives_under_the_rule() {
    let one = 1i64 << 28;
    let terms = "the rule gives";
    // Six values, six weights, three values, three weights; then weight, and nine values.
    let mut evidence = Stage::by(Choice::of(&Evidence::default()));
    evidence.refuses_addend("direct logit of 65", 2, 1 << 42, terms);
    evidence.refuses_addend("negative direct weight", 2 + 6, -one, terms);
    evidence.refuses_addend("negative pair weight", 2 + 15, -one, terms);
    evidence.refuses_addend("negative indirect weight", 2 + 18, -one, terms);
    evidence.refuses_addend("indirect logit of 65", 2 + 19, 1 << 42, terms);
    evidence.still_takes_the_honest_answer();
    // The same without the rest. Weights are at least e^-beta and at most 1, with 40 digits.
    let one = 1i64 << 40;
    let mut proximity = Stage::by(Choice::of(&Proximity::default()));
    proximity.refuses_addend("weight beyond 1", 2 + 6, one + one / 100, terms);
    proximity.refuses_addend("weight below any mass", 2 + 6, one / 2, terms);
    proximity.refuses_addend("pair weight of nothing", 2 + 15, 0, terms);
    proximity.refuses_addend("value beyond its weight", 2 + 12, 2 * one, terms);
    proximity.still_takes_the_honest_answer();
    // Weight, then nine logits.
    let one = 1i64 << 28;
    let mut median = Stage::by(Choice::of(&Median::default()));
    median.refuses_addend("a logit beyond 64", 2, 64 * one + 1, terms);
    median.refuses_addend("a logit below -64", 2 + 8, -64 * one - 1, terms);
    median.still_takes_the_honest_answer();
}

#[test]
fn a_refusal_that_says_nothing_new_is_not_kept() {
    let mut stage = Stage::by(Choice::of(&Evidence::default()));
    let failed = with(&stage.honest(1), |answer| {
        answer.reply = Reply::Refused(Refused::Failed);
    });
    stage.take(1, &failed);
    let late = with(&stage.honest(3), |answer| {
        answer.reply = Reply::Refused(Refused::NotAllowed);
    });
    let content = stage.disk.content();
    for (site, answer) in [(1, &failed), (1, &failed), (3, &late)] {
        let receipt = stage.coordinator.receive(ClientId(site), answer);
        assert_eq!(receipt.unwrap(), Receipt::Repeated);
    }
    assert_eq!(stage.disk.content(), content);
}
