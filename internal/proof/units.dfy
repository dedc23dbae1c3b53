// The model of preemption/units.go: the order of importance. Left out are groups, and the caller's own order
// (Config.Importance). The theorems of victims.dfy hold for every order.

include "eligible.dfy"

// importance orders pods from the most to the least important: the higher priority, the earlier start, the name.
function importance(a: Attempt, p: Pod, q: Pod): int {
  or(compareInts(q.priority, p.priority), or(compareInts(startOf(a, p), startOf(a, q)), compareInts(p.name, q.name)))
}

// startOf returns the start by which a pod is ordered. A pod without one counts as started now.
function startOf(a: Attempt, p: Pod): int {
  if p.start != 0 then p.start else if a.now == 0 then laterThanAny() else a.now
}

// laterThanAny is after every start that a pod has.
function laterThanAny(): int { 1000000000 }

// byImportance sorts pods, the most important first.
function byImportance(a: Attempt, pods: seq<Pod>): seq<Pod> {
  if pods == [] then [] else insert(a, pods[0], byImportance(a, pods[1..]))
}

// insert puts a pod into a sorted list.
function insert(a: Attempt, p: Pod, sorted: seq<Pod>): seq<Pod> {
  if sorted == [] || importance(a, p, sorted[0]) < 0 then [p] + sorted
  else [sorted[0]] + insert(a, p, sorted[1..])
}

// Importance is a total order: two pods are equal in it if they are one pod.
lemma ImportanceIsTotal(a: Attempt, p: Pod, q: Pod, r: Pod)
  ensures importance(a, p, q) == -importance(a, q, p)
  ensures importance(a, p, q) == 0 <==> p.priority == q.priority && startOf(a, p) == startOf(a, q) && p.name == q.name
  ensures importance(a, p, q) <= 0 && importance(a, q, r) <= 0 ==> importance(a, p, r) <= 0
{}

predicate sorted(a: Attempt, pods: seq<Pod>) {
  |pods| < 2 || (importance(a, pods[0], pods[1]) <= 0 && sorted(a, pods[1..]))
}

// Sorting neither loses nor doubles a pod.
lemma SortedByImportance(a: Attempt, pods: seq<Pod>)
  ensures sorted(a, byImportance(a, pods))
  ensures setOf(byImportance(a, pods)) == setOf(pods)
  ensures noDuplicates(pods) ==> noDuplicates(byImportance(a, pods))
{
  if pods != [] {
    SortedByImportance(a, pods[1..]);
    Inserted(a, pods[0], byImportance(a, pods[1..]));
    assert setOf(pods) == {pods[0]} + setOf(pods[1..]);
    assert pods[0] in pods[1..] <==> pods[0] in setOf(pods[1..]);
    assert pods[0] in byImportance(a, pods[1..]) <==> pods[0] in setOf(byImportance(a, pods[1..]));
  }
}

lemma Inserted(a: Attempt, p: Pod, list: seq<Pod>)
  requires sorted(a, list)
  ensures sorted(a, insert(a, p, list))
  ensures setOf(insert(a, p, list)) == {p} + setOf(list)
  ensures p !in list && noDuplicates(list) ==> noDuplicates(insert(a, p, list))
{
  if list == [] || importance(a, p, list[0]) < 0 {
    assert ([p] + list)[1..] == list;
  } else {
    var rest := insert(a, p, list[1..]);
    Inserted(a, p, list[1..]);
    ImportanceIsTotal(a, p, list[0], p);
    assert ([list[0]] + rest)[1..] == rest;
    assert setOf([list[0]] + rest) == {list[0]} + setOf(rest);
    assert setOf(list) == {list[0]} + setOf(list[1..]);
    assert list[0] in rest <==> list[0] in setOf(rest);
  }
}
