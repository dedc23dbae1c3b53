// The model of preemption/preempt.go: the four steps of a decision. It is also that of preemption/engine, which
// gives the same answer in another way; the kept decisions hold both to it.

include "ranks.dfy"

datatype Outcome = Fits | NotEligible | NothingHelps | Preempts

// Plan is a decision. before has the answers of the nodes before any pod leaves. chosen has the best candidate,
// and is empty unless the outcome is Preempts.
datatype Plan = Plan(outcome: Outcome, ineligible: Ineligibility, before: seq<Code>, chosen: seq<Candidate>)

// decide goes through the four steps of a decision.
function decide(a: Attempt): Plan {
  var sites := newAttempt(a);

  // Step 1: what do the nodes say before any pod leaves?
  var before := askNodes(a, sites);

  // Step 2: may the pod preempt? The plan says so even if the pod fits.
  var ineligible := mayPreempt(a, sites, before);
  if Success in before then Plan(Fits, ineligible, before, [])
  else if ineligible != Eligible then Plan(NotEligible, ineligible, before, []) else

  // Step 3: which pods have to leave each node?
  var candidates := findCandidates(a, sites, before);
  if candidates == [] then Plan(NothingHelps, ineligible, before, []) else

  // Step 4: which node is the best?
  Plan(Preempts, ineligible, before, [best(a, candidates)])
}

// explain lists all candidates, even if none is needed.
function explain(a: Attempt): seq<Candidate> {
  findCandidates(a, newAttempt(a), askNodes(a, newAttempt(a)))
}

// askNodes returns the answer of every node before any pod leaves.
function askNodes(a: Attempt, sites: seq<Site>): seq<Code>
  ensures |askNodes(a, sites)| == |sites|
{
  if sites == [] then [] else [asThingsAre(a, sites[0])] + askNodes(a, sites[1..])
}

// asThingsAre returns the answer of a node before any pod leaves.
function asThingsAre(a: Attempt, s: Site): Code { fits(a, s, setOf(s.running)) }

lemma Asked(a: Attempt, sites: seq<Site>)
  ensures forall i :: 0 <= i < |sites| ==> askNodes(a, sites)[i] == asThingsAre(a, sites[i])
{}

// Theorem: what holds of every plan that has pods leave. (1) They are of lower priority than the preemptor. (2)
// They are pods of the node, and each pod of the node stays or leaves. (3) The preemptor fits beside those who stay.
// (4) Were only some of them gone, it would not fit. (5) No other candidate is better, and the pod fits nowhere
// as things are.
lemma ThePlan(a: Attempt)
  requires valid(a.cluster) && decide(a).outcome == Preempts
  ensures |decide(a).chosen| == 1 && 0 <= decide(a).chosen[0].position < |newAttempt(a)|
  ensures var s, gone := newAttempt(a)[decide(a).chosen[0].position], leaving(decide(a).chosen[0]);
    mayLeave(a, s, gone) && gone != {} && noDuplicates(decide(a).chosen[0].victims) &&
    roomWithout(a, s, gone) &&
    (forall fewer :: fewer < gone ==> !roomWithout(a, s, fewer))
  ensures isBest(a, decide(a).chosen[0], explain(a))
  ensures Success !in decide(a).before
{
  var sites, plan := newAttempt(a), decide(a);
  var c := plan.chosen[0];
  Sites(a, 0);
  Asked(a, sites);
  FoundThere(a, sites, plan.before, 0);
  TheBestIsUnique(a, explain(a), c);
  var s := sites[c.position];
  assert selectVictims(a, s) == Found(c);
  Selected(a, s);
  assert c.victims[0].pod in leaving(c);
  forall v | v in leaving(c) ensures v.priority < a.pod.priority { OnlyLowerPrioritiesLeave(a, s, v); }
  forall fewer | fewer < leaving(c) ensures !roomWithout(a, s, fewer) { NoVictimCouldStay(a, s, fewer); }
}

// mayLeave says of pods that they are on a node and of lower priority than the preemptor.
predicate mayLeave(a: Attempt, s: Site, gone: set<Pod>) {
  forall p :: p in gone ==> p in s.running && p.priority < a.pod.priority
}

// Theorem: nobody leaves without need. Unless the plan says that pods leave, none does, and if it says that nothing
// helps, no loss of pods of lower priority makes room on any node.
lemma WithoutNeed(a: Attempt)
  requires valid(a.cluster) && decide(a).outcome != Preempts
  ensures decide(a).chosen == []
  ensures decide(a).outcome == NothingHelps ==>
    forall s, gone :: s in newAttempt(a) && mayLeave(a, s, gone) ==> !roomWithout(a, s, gone)
{
  var sites, plan := newAttempt(a), decide(a);
  Sites(a, 0);
  Asked(a, sites);
  FoundThere(a, sites, plan.before, 0);
  if plan.outcome == NothingHelps {
    forall s, gone | s in sites && mayLeave(a, s, gone)
      ensures !roomWithout(a, s, gone) {
      var i :| 0 <= i < |sites| && sites[i] == s;
      assert plan.before[i] == asThingsAre(a, s);
      assert plan.before[i] != Success;
      NobodyElseHelps(a, s, gone);
    }
  }
}
