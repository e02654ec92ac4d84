use fault::{Setting as Flag, Way};
use programs::process::Fence;

use super::{Decision, Policy, Setting, decide, decide_protected};
use crate::effect::Effect;
use crate::tool::Permission;

const PERMISSIONS: [Permission; 3] =
    [Permission::None, Permission::Moderate, Permission::Dangerous];

const SINGLE: [(&str, Effect); 7] = [
    ("reads", Effect::READS),
    ("remembers", Effect::REMEMBERS),
    ("stores", Effect::STORES),
    ("forgets", Effect::FORGETS),
    ("writes", Effect::WRITES),
    ("runs", Effect::RUNS),
    ("connects", Effect::CONNECTS),
];

/// A letter a permission (none, moderate, dangerous): `a`llow, `?` ask, `x` deny. First if
/// programs are contained, then if they are not.
const TABLE: &str = "
read-only  reads      axx axx
read-only  remembers  axx axx
read-only  stores     xxx xxx
read-only  forgets    xxx xxx
read-only  writes     axx axx
read-only  runs       axx axx
read-only  connects   axx axx
ask        reads      a?? a??
ask        remembers  a?? a??
ask        stores     a?? a??
ask        forgets    ??? ???
ask        writes     a?? a??
ask        runs       a?? a??
ask        connects   a?? a??
auto       reads      aaa aaa
auto       remembers  aa? aa?
auto       stores     aa? aa?
auto       forgets    ??? ???
auto       writes     aaa aaa
auto       runs       aaa aa?
auto       connects   a?? a??
trust      reads      aaa aaa
trust      remembers  aaa aaa
trust      stores     aaa aaa
trust      forgets    aaa aaa
trust      writes     aaa aaa
trust      runs       aaa aaa
trust      connects   aaa aaa
";

#[test]
fn every_cell_of_the_table_is_as_documented() {
    let mut made = String::from("\n");
    for policy in Policy::ALL {
        for (name, does) in SINGLE {
            let cells = |contained| {
                PERMISSIONS.map(|needs| match decide(*policy, needs, does, contained) {
                    Decision::Allow => 'a',
                    Decision::Ask => '?',
                    Decision::Deny => 'x',
                })
            };
            let [inside, outside] = [true, false].map(|c| cells(c).iter().collect::<String>());
            made += &format!("{:<10} {name:<10} {inside} {outside}\n", policy.as_str());
        }
    }
    assert_eq!(made, TABLE);
    let protected = Policy::ALL.iter().map(|policy| decide_protected(*policy));
    use Decision::{Ask, Deny};
    assert_eq!(protected.collect::<Vec<_>>(), [Deny, Ask, Ask, Ask]);
    assert_eq!(Policy::default(), Policy::Ask);
}

#[test]
fn several_effects_are_decided_as_the_strictest_of_them() {
    for policy in Policy::ALL {
        for (needs, contained) in PERMISSIONS.iter().flat_map(|n| [(*n, true), (*n, false)]) {
            for set in 1_u32..1 << (SINGLE.len() - 1) {
                let member = |n: &usize| set & (1 << (n - 1)) != 0;
                let members = || (1..SINGLE.len()).filter(member).map(|n| SINGLE[n].1);
                let all = members().fold(Effect::READS, Effect::and);
                let strictest = members().map(|one| decide(*policy, needs, one, contained)).max();
                let decided = decide(*policy, needs, all, contained);
                assert_eq!(Some(decided), strictest, "{policy:?} {needs:?} {all} {contained}");
            }
        }
    }
}

/// Follows the advice of a refusal and decides again.
#[test]
fn each_way_that_a_refusal_names_allows_the_call_and_none_is_taken_already() {
    let mut named = 0;
    for policy in Policy::ALL {
        for (fence, offline, protected) in [Fence::Namespaces, Fence::Landlock, Fence::Nothing]
            .into_iter()
            .flat_map(|f| [(f, true, false), (f, false, false), (f, true, true), (f, false, true)])
        {
            let now = Setting { policy: *policy, fence, offline, protected };
            for (needs, (_, does)) in PERMISSIONS.iter().flat_map(|n| SINGLE.map(|s| (*n, s))) {
                if now.decide(needs, does) == Decision::Allow {
                    continue;
                }
                for attended in [false, true] {
                    for way in now.ways(needs, does, attended) {
                        follow(now, needs, does, attended, &way);
                        named += 1;
                    }
                }
            }
        }
    }
    assert!(named > 500, "{named}");
}

fn follow(now: Setting, needs: Permission, does: Effect, attended: bool, way: &Way) {
    let (settings, asking) = match way {
        Way::Settings(settings) => (settings.as_slice(), false),
        Way::SettingsAndAsking(settings) => (settings.as_slice(), true),
        Way::Asking => (&[][..], true),
        Way::Caller(what) | Way::Command(what) => {
            panic!("{what} is nothing that a setting allows")
        }
    };
    let what = format!("{now:?} {needs:?} {does} {attended}: {way:?}");
    assert!(!(asking && attended), "so already: {what}");
    let mut then = now;
    for Flag { flag, value, .. } in settings {
        match *flag {
            "--policy" => then.policy = value.parse().unwrap(),
            "--network" => then.offline = value == "off",
            other => panic!("{other} is no setting of a policy"),
        }
    }
    let changed = [then.policy != now.policy, then.offline != now.offline];
    let changed = changed.iter().filter(|changed| **changed).count();
    assert_eq!(changed, settings.len(), "so already: {what}");
    let wanted = match then.decide(needs, does) {
        Decision::Ask => attended || asking,
        decision => decision == Decision::Allow && !asking,
    };
    assert!(wanted, "of no use: {what}");
}
