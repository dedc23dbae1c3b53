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

// numbered says of sites that their positions count up, and that they are sound.
predicate numbered(sites: seq<Site>, first: int) {
  forall i :: 0 <= i < |sites| ==> sites[i].position == first + i && sound(sites[i])
}

// foundOn says of a candidate that it is what the search on its node has found.
predicate foundOn(a: Attempt, sites: seq<Site>, first: int, c: Candidate) {
  first <= c.position < first + |sites| && selectVictims(a, sites[c.position - first]) == Found(c)
}

// Each candidate is what the search on its node has found, and what a search has found is a candidate.
lemma {:induction false} FoundThere(a: Attempt, sites: seq<Site>, before: seq<Code>, first: int)
  requires |sites| == |before| && numbered(sites, first)
  ensures ascending(findCandidates(a, sites, before))
  ensures forall c :: c in findCandidates(a, sites, before) ==> foundOn(a, sites, first, c)
  ensures forall i :: 0 <= i < |sites| && before[i] == Unschedulable && selectVictims(a, sites[i]).Found? ==>
    selectVictims(a, sites[i]).candidate in findCandidates(a, sites, before)
{
  if sites != [] {
    var others, rest := sites[1..], findCandidates(a, sites[1..], before[1..]);
    assert numbered(others, first + 1);
    FoundThere(a, others, before[1..], first + 1);
    forall c | c in rest ensures foundOn(a, sites, first, c) {
      assert foundOn(a, others, first + 1, c);
      assert others[c.position - (first + 1)] == sites[c.position - first];
    }
    forall i | 1 <= i < |sites| && before[i] == Unschedulable && selectVictims(a, sites[i]).Found?
      ensures selectVictims(a, sites[i]).candidate in rest {
      assert others[i - 1] == sites[i] && before[1..][i - 1] == before[i];
    }

    if before[0] == Unschedulable && selectVictims(a, sites[0]).Found? {
      var c := selectVictims(a, sites[0]).candidate;
      Selected(a, sites[0]);
      assert findCandidates(a, sites, before) == [c] + rest;
      assert ([c] + rest)[1..] == rest;
      if rest != [] { assert rest[0] in rest && foundOn(a, others, first + 1, rest[0]); }
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
