// The model of preemption/candidates.go: victims are looked for on the nodes where the loss of pods may help.
// Left out is a sample of the nodes (Config.Sample), by which fewer candidates are compared.

include "victims.dfy"

// findCandidates lists the candidates in the order of the nodes. before has the answers of the nodes.
function findCandidates(a: Attempt, sites: seq<Site>, before: seq<Code>): seq<Candidate>
  requires |sites| == |before|
{
  if sites == [] then []
  else if before[0] == Unschedulable && selectVictims(a, sites[0]).Found?
  then [selectVictims(a, sites[0]).candidate] + findCandidates(a, sites[1..], before[1..])
  else findCandidates(a, sites[1..], before[1..])
}

// ascending says of sites or candidates that they are in the order of the nodes.
predicate ascending(candidates: seq<Candidate>) {
  |candidates| < 2 || (candidates[0].position < candidates[1].position && ascending(candidates[1..]))
}

// Each candidate is what the search on its node has found.
lemma FoundThere(a: Attempt, sites: seq<Site>, before: seq<Code>, first: int)
  requires |sites| == |before|
  requires forall i :: 0 <= i < |sites| ==> sites[i].position == first + i && sound(sites[i])
  ensures ascending(findCandidates(a, sites, before))
  ensures forall c :: c in findCandidates(a, sites, before) ==>
    first <= c.position < first + |sites| && selectVictims(a, sites[c.position - first]) == Found(c)
  ensures forall i :: 0 <= i < |sites| && before[i] == Unschedulable && selectVictims(a, sites[i]).Found? ==>
    selectVictims(a, sites[i]).candidate in findCandidates(a, sites, before)
{
  if sites != [] {
    var rest := findCandidates(a, sites[1..], before[1..]);
    FoundThere(a, sites[1..], before[1..], first + 1);
    assert forall i :: 1 <= i < |sites| ==> sites[i] == sites[1..][i - 1] && before[i] == before[1..][i - 1];
    if selectVictims(a, sites[0]).Found? {
      Selected(a, sites[0]);
      var c := selectVictims(a, sites[0]).candidate;
      assert ([c] + rest)[1..] == rest;
    }
    forall c | c in findCandidates(a, sites, before)
      ensures first <= c.position < first + |sites| && selectVictims(a, sites[c.position - first]) == Found(c) {
      if c in rest { assert sites[c.position - first] == sites[1..][c.position - (first + 1)]; }
    }
  }
}

// Theorem: a node that is no candidate cannot become one. Whichever pods of lower priority left it, the preemptor
// would not fit.
lemma NobodyElseHelps(a: Attempt, s: Site, gone: set<Pod>)
  requires sound(s) && fits(a, s, setOf(s.running)) != Success
  requires fits(a, s, setOf(s.running)) != Unschedulable || !selectVictims(a, s).Found?
  requires forall p :: p in gone ==> p in s.running && mayTake(a, p)
  ensures !roomWithout(a, s, gone)
{
  var taken := only(s.running, (p: Pod) => mayTake(a, p));
  Only(s.running, (p: Pod) => mayTake(a, p));
  SortedByImportance(a, taken);
  NobodyHasTo(a, s);
  Monotone(a, s);
  var all, some := setOf(s.running) - setOf(possibleVictims(a, s)), setOf(s.running) - gone;
  assert forall p :: p in gone ==> p in setOf(taken);
  assert all <= some;
  if roomFor(a, s)(some) {
    assert roomFor(a, s)(all);
    if fits(a, s, setOf(s.running)) != Unschedulable {
      NoContradiction(a, s, setOf(s.running));
      Unresolvable(a, s, setOf(s.running), some);
    } else if possibleVictims(a, s) == [] {
      assert some == setOf(s.running);
    }
  }
}

// No loss of pods changes an answer that says so.
lemma Unresolvable(a: Attempt, s: Site, there: set<Pod>, some: set<Pod>)
  requires fits(a, s, there) == UnschedulableAndUnresolvable
  ensures fits(a, s, some) != Success
{}
