// The model of preemption/budgets.go. A budget is known by its place in the cluster's list. The proofs say in which
// order pods are put back, and that no pod is lost on the way. They do not say which budgets a victim
// violates by name: that depends on the order of the budgets and of the pods before it, and only the kept
// decisions hold the book to it (Violated in testdata).

include "units.dfy"

// Charges lists, pod by pod, the budgets that the loss of the pod violates, by name. It has no entry for a pod
// that violates none.
type Charges = map<Pod, seq<int>>

// charge charges pods to the budgets that cover them, in the order of the pods. taken counts the pods that each
// budget has been charged for so far.
function charge(a: Attempt, pods: seq<Pod>, taken: seq<int>): Charges
  requires |taken| == |a.cluster.budgets|
{
  if pods == [] then map[] else
  var (now, violated) := chargeOne(a, pods[0], taken, 0);
  var others := charge(a, pods[1..], now);
  if violated == [] then others else others[pods[0] := violated]
}

// chargeOne charges one pod to the budgets from the i-th on. It returns what is taken then, and which of them
// the pod violates.
function chargeOne(a: Attempt, p: Pod, taken: seq<int>, i: nat): (seq<int>, seq<int>)
  requires |taken| == |a.cluster.budgets|
  ensures |chargeOne(a, p, taken, i).0| == |taken|
  decreases |taken| - i
{
  if i >= |taken| then (taken, []) else
  var b := a.cluster.budgets[i];
  if !isCharged(b, p) then chargeOne(a, p, taken, i + 1) else
  var more := taken[i := taken[i] + 1];
  if more[i] <= b.allowed then chargeOne(a, p, more, i + 1)
  else if a.cluster.rules.budgetsStopAtFirst then (more, [b.name])
  else
    var (end, violated) := chargeOne(a, p, more, i + 1);
    (end, [b.name] + violated)
}

// isCharged reports whether a budget is charged for a pod: it covers the pod, and has not counted the pod's
// disruption already.
predicate isCharged(b: Budget, p: Pod) { coversPod(b, p) && p.name !in b.disrupted }

predicate coversPod(b: Budget, p: Pod) { p.app != 0 && p.app in b.apps }

// untouched is what has been taken of the budgets before anybody is charged.
function untouched(budgets: seq<Budget>): seq<int>
  ensures |untouched(budgets)| == |budgets|
{
  if budgets == [] then [] else [0] + untouched(budgets[1..])
}

// violatingFirst puts the pods that violate a budget before the others. Both parts keep their order.
function violatingFirst(pods: seq<Pod>, violated: Charges): seq<Pod> {
  only(pods, (p: Pod) => p in violated) + only(pods, (p: Pod) => p !in violated)
}

// Nobody is lost or doubled by it.
lemma ViolatingFirst(pods: seq<Pod>, violated: Charges)
  ensures setOf(violatingFirst(pods, violated)) == setOf(pods)
  ensures noDuplicates(pods) ==> noDuplicates(violatingFirst(pods, violated))
{
  Only(pods, (p: Pod) => p in violated);
  Only(pods, (p: Pod) => p !in violated);
  var first, second := only(pods, (p: Pod) => p in violated), only(pods, (p: Pod) => p !in violated);
  if noDuplicates(pods) { Apart(first, second); }
}

// Those that violate a budget do come first: before one of them stands no other.
lemma TheyComeFirst(pods: seq<Pod>, violated: Charges, i: nat, j: nat)
  requires i < j < |violatingFirst(pods, violated)| && violatingFirst(pods, violated)[j] in violated
  ensures violatingFirst(pods, violated)[i] in violated
{
  Only(pods, (p: Pod) => p in violated);
  Only(pods, (p: Pod) => p !in violated);
  var first, second := only(pods, (p: Pod) => p in violated), only(pods, (p: Pod) => p !in violated);
  if j >= |first| { assert second[j - |first|] in second; }
  assert first[i] in first;
}

lemma Apart<T>(list: seq<T>, other: seq<T>)
  requires noDuplicates(list) && noDuplicates(other) && setOf(list) !! setOf(other)
  ensures noDuplicates(list + other)
{
  if list == [] {
    assert list + other == other;
  } else {
    assert list[0] in setOf(list);
    assert list[0] !in setOf(other);
    assert setOf(list[1..]) <= setOf(list);
    Apart(list[1..], other);
    assert list + other == [list[0]] + (list[1..] + other);
  }
}

// A budget that has not been used up is violated by nobody: the theorem about the plain case, a pod by itself.
lemma OnlyBeyondWhatIsAllowed(a: Attempt, p: Pod, taken: seq<int>, i: nat)
  requires |taken| == |a.cluster.budgets|
  requires forall k :: i <= k < |taken| ==> taken[k] < a.cluster.budgets[k].allowed
  ensures chargeOne(a, p, taken, i).1 == []
  decreases |taken| - i
{
  if i < |taken| {
    var b := a.cluster.budgets[i];
    if isCharged(b, p) {
      OnlyBeyondWhatIsAllowed(a, p, taken[i := taken[i] + 1], i + 1);
    } else {
      OnlyBeyondWhatIsAllowed(a, p, taken, i + 1);
    }
  }
}
