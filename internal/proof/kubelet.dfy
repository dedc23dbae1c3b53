// The model of package kubeletadmit: whether a pod may start on a node, and which pods are evicted for it. It
// follows check.go, critical.go, admission.go, pool.go, figures.go and scan.go.
//
// Of amounts it has pods, cpu and memory; one taint stands for all predicates. Left out are the options
// PriorityFirst and Exact, resizes, pods that have ended, and the three checks that come before all others. Numbers
// are those of mathematics: kubeletadmit ends its sums at the ends of int64, and adds distances up as float64, so
// that two which are equal here may differ there in the last bit. The theorems hold for every way to choose within
// a tier but Nearest, which says what the way is.

include "words.dfy"

// Active is a pod on the node, or the one to be admitted. tier is 0 for BestEffort, 1 for Burstable and 2 for
// Guaranteed.
datatype Active = Active(
  name: int, hasPriority: bool, priority: int, staticPod: bool, tier: int, cpu: int, memory: int)

datatype Machine = Machine(pods: int, cpu: int, memory: int, tainted: bool)

// ResourceNeed is an amount of a resource.
datatype ResourceNeed = ResourceNeed(resource: Resource, amount: int)

datatype Resource = Pods | Cpu | Memory

// Admission is the answer: evictions has the pods of each tier, in the order in which they are chosen there.
datatype Admission =
  Admitted | Rejected(missing: seq<ResourceNeed>) | AdmittedAfterEvicting(evictions: seq<seq<Active>>)

// admit decides whether the pod may start beside the active pods, and which of them make room for it.
function admit(node: Machine, active: seq<Active>, pod: Active): Admission {
  var needs := check(node, active, pod);
  if needs == [] && !node.tainted then Admitted
  else if !critical(pod) || node.tainted then Rejected([])
  else makeRoom(needs, tiersOf(active, pod))
}

// critical reports whether a pod is critical for the kubelet.
predicate critical(p: Active) { p.staticPod || (p.hasPriority && p.priority >= 2000000000) }

// preemptable reports whether the kubelet may evict the pod for the preemptor.
predicate preemptable(preemptor: Active, p: Active) {
  (critical(preemptor) && !critical(p)) || (preemptor.hasPriority && p.hasPriority && preemptor.priority > p.priority)
}

// check lists the shortages: what is requested less what is free.
function check(node: Machine, active: seq<Active>, pod: Active): seq<ResourceNeed> {
  short(Pods, 1, node.pods, active) +
  short(Cpu, pod.cpu, node.cpu, active) +
  short(Memory, pod.memory, node.memory, active)
}

function short(r: Resource, requested: int, capacity: int, active: seq<Active>): seq<ResourceNeed> {
  var shortage := requested - (capacity - holds(active, r));
  if requested > 0 && shortage > 0 then [ResourceNeed(r, shortage)] else []
}

// frees is what a pod holds of a resource.
function frees(p: Active, r: Resource): int {
  match r
  case Pods => 1
  case Cpu => p.cpu
  case Memory => p.memory
}

// holds adds up what pods hold of a resource.
function holds(pods: seq<Active>, r: Resource): int {
  if pods == [] then 0 else frees(pods[0], r) + holds(pods[1..], r)
}

// tiersOf lists the pods that may be evicted by their class, those first that leave first.
function tiersOf(active: seq<Active>, pod: Active): seq<seq<Active>> {
  [tierOf(active, pod, 0), tierOf(active, pod, 1), tierOf(active, pod, 2)]
}

function tierOf(active: seq<Active>, pod: Active, tier: int): seq<Active> {
  only(active, (p: Active) => preemptable(pod, p) && p.tier == tier)
}

// makeRoom covers the needs with pods of the tiers, unless all of them together hold too little.
function makeRoom(needs: seq<ResourceNeed>, tiers: seq<seq<Active>>): Admission {
  var missing := needBeyond(needs, pool(tiers));
  if !covered(missing) then Rejected(only(missing, (n: ResourceNeed) => n.amount > 0))
  else AdmittedAfterEvicting(choose(needs, tiers, []))
}

// pool has the pods of all tiers.
function pool(tiers: seq<seq<Active>>): seq<Active> { if tiers == [] then [] else tiers[0] + pool(tiers[1..]) }

// choose chooses pods of the last tier that has not chosen, as many as are needed beyond all pods of the tiers
// before it and the chosen ones of the tiers after it, and goes on with the tiers before. after has the chosen
// ones.
function choose(needs: seq<ResourceNeed>, tiers: seq<seq<Active>>, after: seq<seq<Active>>): seq<seq<Active>> {
  if tiers == [] then after else
  var before, last := tiers[..|tiers| - 1], tiers[|tiers| - 1];
  choose(needs, before, [take(last, needBeyond(needs, pool(before) + pool(after)))] + after)
}

// needBeyond is what is still needed once pods are gone.
function needBeyond(needs: seq<ResourceNeed>, gone: seq<Active>): seq<ResourceNeed>
  ensures |needBeyond(needs, gone)| == |needs|
{
  if needs == [] then [] else
  [beyond(needs[0], gone)] + needBeyond(needs[1..], gone)
}

function beyond(need: ResourceNeed, gone: seq<Active>): ResourceNeed {
  var left := need.amount - holds(gone, need.resource);
  ResourceNeed(need.resource, if left > 0 then left else 0)
}

// covered reports whether nothing is needed any more.
predicate covered(left: seq<ResourceNeed>) { forall n :: n in left ==> n.amount <= 0 }

// take chooses pods of a tier by distance, until nothing is needed or no pod is left.
function take(list: seq<Active>, left: seq<ResourceNeed>): seq<Active>
  decreases |list|
{
  if covered(left) || list == [] then [] else
  var at := nearest(list, left);
  [list[at]] + take(remove(list, at), needBeyond(left, [list[at]]))
}

// remove removes a pod. The last of the list takes its place.
function remove(list: seq<Active>, at: nat): seq<Active>
  requires at < |list|
{
  list[at := list[|list| - 1]][..|list| - 1]
}

// nearest returns the index of the pod that is taken next: the nearest, and of equal ones the last.
function nearest(list: seq<Active>, left: seq<ResourceNeed>): nat
  requires list != []
  ensures nearest(list, left) < |list|
{
  var last := |list| - 1;
  if last == 0 then 0 else
  var at := nearest(list[..last], left);
  if compareDistance(left, list[last], list[at]) <= 0 then last else at
}

// compareDistance orders pods by their distance, then by their requests of memory and cpu.
function compareDistance(left: seq<ResourceNeed>, p: Active, q: Active): int {
  or(compareReals(distance(left, p), distance(left, q)),
    or(compareInts(p.memory, q.memory), compareInts(p.cpu, q.cpu)))
}

function compareReals(x: real, y: real): int { if x < y then -1 else if x > y then 1 else 0 }

// distance is the sum, over what is left, of the square of the part that the pod would leave.
function distance(left: seq<ResourceNeed>, p: Active): real {
  if left == [] then 0.0 else square(left[0].amount, frees(p, left[0].resource)) + distance(left[1..], p)
}

function square(n: int, frees: int): real {
  if n <= frees || n <= 0 then 0.0 else
  var part := (n - frees) as real / n as real;
  part * part
}

// sane says of pods that none holds less than nothing.
predicate sane(pods: seq<Active>) { forall p :: p in pods ==> p.cpu >= 0 && p.memory >= 0 }

lemma HoldsBoth(some: seq<Active>, others: seq<Active>, r: Resource)
  ensures holds(some + others, r) == holds(some, r) + holds(others, r)
{
  if some == [] { assert some + others == others; } else { assert some + others == [some[0]] + (some[1..] + others); }
}

lemma HoldsWithFirst(p: Active, others: seq<Active>, r: Resource)
  ensures holds([p] + others, r) == frees(p, r) + holds(others, r)
{
  assert ([p] + others)[1..] == others;
}

lemma HoldsNoLessThanNothing(pods: seq<Active>, r: Resource)
  requires sane(pods)
  ensures holds(pods, r) >= 0
{}

// What is needed beyond pods, need by need.
lemma NeedBeyond(needs: seq<ResourceNeed>, gone: seq<Active>)
  ensures forall i :: 0 <= i < |needs| ==> needBeyond(needs, gone)[i] == beyond(needs[i], gone)
{}

// The needs are covered if each amount is held.
lemma CoveredIfHeld(needs: seq<ResourceNeed>, gone: seq<Active>)
  ensures covered(needBeyond(needs, gone)) <==>
    forall i :: 0 <= i < |needs| ==> needs[i].amount <= holds(gone, needs[i].resource)
{
  NeedBeyond(needs, gone);
  var left := needBeyond(needs, gone);
  if covered(left) {
    forall i | 0 <= i < |needs| ensures needs[i].amount <= holds(gone, needs[i].resource) { assert left[i] in left; }
  }
}

// To go without some and then without others is to go without both.
lemma Beyond(needs: seq<ResourceNeed>, some: seq<Active>, others: seq<Active>)
  requires sane(some) && sane(others)
  ensures needBeyond(needBeyond(needs, some), others) == needBeyond(needs, some + others)
{
  var once, both := needBeyond(needs, some), some + others;
  NeedBeyond(needs, some);
  NeedBeyond(once, others);
  NeedBeyond(needs, both);
  forall i | 0 <= i < |needs| ensures needBeyond(once, others)[i] == needBeyond(needs, both)[i] {
    HoldsBoth(some, others, needs[i].resource);
    HoldsNoLessThanNothing(some, needs[i].resource);
    HoldsNoLessThanNothing(others, needs[i].resource);
  }
}

// Two lists that hold the same leave the same.
lemma SameBeyond(needs: seq<ResourceNeed>, some: seq<Active>, others: seq<Active>)
  requires forall r :: holds(some, r) == holds(others, r)
  ensures needBeyond(needs, some) == needBeyond(needs, others)
{
  if needs != [] {
    assert holds(some, needs[0].resource) == holds(others, needs[0].resource);
    SameBeyond(needs[1..], some, others);
  }
}

lemma Removed(list: seq<Active>, at: nat, r: Resource)
  requires at < |list|
  ensures holds(remove(list, at), r) + frees(list[at], r) == holds(list, r)
{
  var last, rest := list[|list| - 1], list[..|list| - 1];
  assert list == rest + [last];
  HoldsBoth(rest, [last], r);
  HoldsWithFirst(last, [], r);
  assert [last] + [] == [last];
  if at == |list| - 1 {
    assert remove(list, at) == rest;
  } else {
    var front, back := list[..at], list[at + 1..|list| - 1];
    assert rest == front + ([list[at]] + back);
    assert remove(list, at) == front + ([last] + back);
    HoldsBoth(front, [list[at]] + back, r);
    HoldsBoth(front, [last] + back, r);
    HoldsWithFirst(list[at], back, r);
    HoldsWithFirst(last, back, r);
  }
}

lemma RemovedOnce(list: seq<Active>, at: nat)
  requires at < |list|
  ensures multiset(list) == multiset(remove(list, at)) + multiset{list[at]}
{
  var last, rest := list[|list| - 1], list[..|list| - 1];
  assert list == rest + [last];
  if at == |list| - 1 {
    assert remove(list, at) == rest;
  } else {
    assert multiset(rest[at := last]) == multiset(rest) - multiset{rest[at]} + multiset{last};
    assert remove(list, at) == rest[at := last];
  }
}

// Theorem: a tier covers what it has to cover, if it can. It takes pods of its own, each once, and none once
// nothing is needed any more.
lemma {:induction false} Taken(list: seq<Active>, left: seq<ResourceNeed>)
  requires sane(list)
  ensures covered(needBeyond(left, list)) ==> covered(needBeyond(left, take(list, left)))
  ensures multiset(take(list, left)) <= multiset(list)
  ensures forall k :: 0 <= k < |take(list, left)| ==> !covered(needBeyond(left, take(list, left)[..k]))
  decreases |list|
{
  if covered(left) {
    CoveredIfHeld(left, list);
    BeyondNobody(left);
  } else if list != [] {
    var at := nearest(list, left);
    var p, others, rest := list[at], remove(list, at), needBeyond(left, [list[at]]);
    RemovedOnce(list, at);
    assert forall q :: q in others ==> q in multiset(others);
    assert sane(others);
    var same := [p] + others;
    forall r ensures holds(same, r) == holds(list, r) { Removed(list, at, r); HoldsBoth([p], others, r); }
    SameBeyond(left, same, list);
    Beyond(left, [p], others);
    Taken(others, rest);
    var more := take(others, rest);
    assert sane(more) by { forall q | q in more ensures q in others { assert q in multiset(more); } }
    Beyond(left, [p], more);
    BeyondNobody(left);
    var all := take(list, left);
    forall k | 0 <= k < |all| ensures !covered(needBeyond(left, all[..k])) {
      if k > 0 {
        assert all[..k] == [p] + more[..k - 1];
        Beyond(left, [p], more[..k - 1]);
      }
    }
  } else {
    BeyondNobody(left);
  }
}

lemma BeyondNobody(left: seq<ResourceNeed>)
  ensures covered(needBeyond(left, [])) <==> covered(left)
{
  CoveredIfHeld(left, []);
  if covered(needBeyond(left, [])) {
    assert forall i :: 0 <= i < |left| ==> left[i].amount <= holds([], left[i].resource);
  } else if covered(left) { assert forall i :: 0 <= i < |left| ==> left[i] in left; }
}

// Theorem: each time the nearest pod is taken. No pod of the list is nearer, and none after it is as near.
lemma Nearest(list: seq<Active>, left: seq<ResourceNeed>)
  requires list != []
  ensures forall i :: 0 <= i < |list| ==> compareDistance(left, list[nearest(list, left)], list[i]) <= 0
  ensures forall i :: nearest(list, left) < i < |list| ==>
    compareDistance(left, list[nearest(list, left)], list[i]) < 0
{
  var last := |list| - 1;
  if last > 0 { Nearest(list[..last], left); }
}

// justified says of the i-th tier's choice that the tiers before it and the chosen ones of the tiers after it would
// not have done.
predicate justified(needs: seq<ResourceNeed>, tiers: seq<seq<Active>>, chosen: seq<seq<Active>>, i: int)
  requires 0 <= i < |tiers| <= |chosen|
{
  covered(needBeyond(needs, pool(tiers[..i]) + pool(chosen[i + 1..]))) ==> chosen[i] == []
}

// What the tiers choose covers the needs, each tier chooses of its own pods, and each choice is justified.
lemma {:induction false} Chosen(needs: seq<ResourceNeed>, tiers: seq<seq<Active>>, after: seq<seq<Active>>)
  requires sane(pool(tiers)) && sane(pool(after))
  requires covered(needBeyond(needs, pool(tiers) + pool(after)))
  ensures |choose(needs, tiers, after)| == |tiers| + |after|
  ensures covered(needBeyond(needs, pool(choose(needs, tiers, after))))
  ensures choose(needs, tiers, after)[|tiers|..] == after
  ensures forall i :: 0 <= i < |tiers| ==> multiset(choose(needs, tiers, after)[i]) <= multiset(tiers[i])
  ensures forall i :: 0 <= i < |tiers| ==> justified(needs, tiers, choose(needs, tiers, after), i)
{
  if tiers == [] {
    assert pool(tiers) + pool(after) == pool(after);
  } else {
    var before, last := tiers[..|tiers| - 1], tiers[|tiers| - 1];
    var picks := take(last, needBeyond(needs, pool(before) + pool(after)));
    assert tiers == before + [last];
    LastTier(needs, before, last, after);
    Chosen(needs, before, [picks] + after);

    var all := choose(needs, tiers, after);
    assert all == choose(needs, before, [picks] + after);
    assert all[|before|..] == [picks] + after;
    assert all[|before|] == all[|before|..][0] == picks;
    assert all[|tiers|..] == all[|before|..][1..] == after;
    forall i | 0 <= i < |tiers| ensures justified(needs, tiers, all, i) && multiset(all[i]) <= multiset(tiers[i]) {
      if i < |before| {
        assert tiers[i] == before[i] && tiers[..i] == before[..i];
        assert justified(needs, before, all, i);
      } else {
        assert tiers[..i] == before && all[i + 1..] == after;
      }
    }
  }
}

// The last tier that has not chosen: with its choice the tiers before it can do the rest.
lemma LastTier(needs: seq<ResourceNeed>, before: seq<seq<Active>>, last: seq<Active>, after: seq<seq<Active>>)
  requires sane(pool(before + [last])) && sane(pool(after))
  requires covered(needBeyond(needs, pool(before + [last]) + pool(after)))
  ensures var picks := take(last, needBeyond(needs, pool(before) + pool(after)));
    sane(pool(before)) && sane(pool([picks] + after)) && multiset(picks) <= multiset(last) &&
    covered(needBeyond(needs, pool(before) + pool([picks] + after)))
{
  PoolOfBoth(before, [last]);
  assert [last][1..] == [] && pool([last]) == last;
  assert forall p :: p in last ==> p in pool(before + [last]);
  assert forall p :: p in pool(before) ==> p in pool(before + [last]);

  var others := pool(before) + pool(after);
  var picks := take(last, needBeyond(needs, others));
  Taken(last, needBeyond(needs, others));
  forall p | p in picks ensures p in last { assert p in multiset(picks); }
  Beyond(needs, others, last);
  Turned(needs, pool(before), pool(after), last);
  Beyond(needs, others, picks);
  Turned(needs, pool(before), pool(after), picks);
  assert ([picks] + after)[1..] == after;
  assert pool(before) + picks + pool(after) == pool(before) + pool([picks] + after);
}

// The order in which pods go does not matter.
lemma Turned(needs: seq<ResourceNeed>, some: seq<Active>, others: seq<Active>, third: seq<Active>)
  ensures needBeyond(needs, some + others + third) == needBeyond(needs, some + third + others)
{
  var one, other := some + others + third, some + third + others;
  forall r ensures holds(one, r) == holds(other, r) {
    HoldsBoth(some, others, r); HoldsBoth(some + others, third, r);
    HoldsBoth(some, third, r); HoldsBoth(some + third, others, r);
  }
  SameBeyond(needs, one, other);
}

lemma PoolOfBoth(some: seq<seq<Active>>, others: seq<seq<Active>>)
  ensures pool(some + others) == pool(some) + pool(others)
{
  if some == [] { assert some + others == others; } else { assert some + others == [some[0]] + (some[1..] + others); }
}

// Theorem: what is chosen covers what is needed.
lemma ChosenCoversNeeds(needs: seq<ResourceNeed>, tiers: seq<seq<Active>>)
  requires sane(pool(tiers)) && makeRoom(needs, tiers).AdmittedAfterEvicting?
  ensures covered(needBeyond(needs, pool(makeRoom(needs, tiers).evictions)))
{
  assert pool(tiers) + pool([]) == pool(tiers);
  Chosen(needs, tiers, []);
}

// Theorem: nobody of a tier leaves where all tiers before it together would do.
lemma NoTierTooEarly(needs: seq<ResourceNeed>, tiers: seq<seq<Active>>, i: nat)
  requires sane(pool(tiers)) && makeRoom(needs, tiers).AdmittedAfterEvicting? && i < |tiers|
  requires covered(needBeyond(needs, pool(tiers[..i])))
  ensures |makeRoom(needs, tiers).evictions| == |tiers| && makeRoom(needs, tiers).evictions[i] == []
{
  var all := makeRoom(needs, tiers).evictions;
  assert pool(tiers) + pool([]) == pool(tiers);
  Chosen(needs, tiers, []);
  forall t, p | t in all && p in t ensures p.cpu >= 0 && p.memory >= 0 {
    var k :| 0 <= k < |all| && all[k] == t;
    assert p in multiset(t);
    assert p in tiers[k];
    InPool(tiers, k, p);
  }
  assert justified(needs, tiers, all, i);
  var behind := pool(all[i + 1..]);
  forall p | p in behind ensures p.cpu >= 0 && p.memory >= 0 { FromTier(all[i + 1..], p); }
  assert tiers == tiers[..i] + tiers[i..];
  PoolOfBoth(tiers[..i], tiers[i..]);
  assert forall p :: p in pool(tiers[..i]) ==> p in pool(tiers);
  Beyond(needs, pool(tiers[..i]), behind);
  CoveredIfHeld(needBeyond(needs, pool(tiers[..i])), behind);
  StillCovered(needBeyond(needs, pool(tiers[..i])), behind);
}

lemma StillCovered(left: seq<ResourceNeed>, gone: seq<Active>)
  requires sane(gone) && covered(left)
  ensures covered(needBeyond(left, gone))
{
  CoveredIfHeld(left, gone);
  forall i | 0 <= i < |left| ensures left[i].amount <= holds(gone, left[i].resource) {
    assert left[i] in left;
    HoldsNoLessThanNothing(gone, left[i].resource);
  }
}

lemma InPool(tiers: seq<seq<Active>>, i: nat, p: Active)
  requires i < |tiers| && p in tiers[i]
  ensures p in pool(tiers)
{
  if i > 0 { InPool(tiers[1..], i - 1, p); }
}

lemma FromTier(tiers: seq<seq<Active>>, p: Active)
  requires p in pool(tiers)
  ensures exists t :: t in tiers && p in t
{
  if p in tiers[0] { } else { FromTier(tiers[1..], p); assert forall t :: t in tiers[1..] ==> t in tiers; }
}

// Theorem: only those leave that may be preempted, each from its own tier.
lemma OnlyThoseThatMayLeave(node: Machine, active: seq<Active>, pod: Active, i: nat, p: Active)
  requires sane(active) && admit(node, active, pod).AdmittedAfterEvicting?
  requires i < |admit(node, active, pod).evictions| && p in admit(node, active, pod).evictions[i]
  ensures p in active && preemptable(pod, p) && p.tier == i && critical(pod)
{
  var needs, tiers := check(node, active, pod), tiersOf(active, pod);
  forall q | q in pool(tiers) ensures q in active { FromTier(tiers, q); TiersHold(active, pod); }
  TiersHold(active, pod);
  assert pool(tiers) + pool([]) == pool(tiers);
  Chosen(needs, tiers, []);
  assert p in multiset(admit(node, active, pod).evictions[i]);
  assert p in tiers[i];
}

lemma TiersHold(active: seq<Active>, pod: Active)
  ensures forall i, p :: 0 <= i < 3 && p in tiersOf(active, pod)[i] ==>
    p in active && preemptable(pod, p) && p.tier == i
{
  Only(active, (p: Active) => preemptable(pod, p) && p.tier == 0);
  Only(active, (p: Active) => preemptable(pod, p) && p.tier == 1);
  Only(active, (p: Active) => preemptable(pod, p) && p.tier == 2);
}
