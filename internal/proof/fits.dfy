// The model of preemption/fits.go and dryrun.go, with two of the filters: NodeUnschedulable and NodeResourcesFit
// (filter_node.go, filter_resources.go). A dry run is the set of pods that are on the node at present.
//
// The theorems rest on one property alone: who fits beside some pods fits beside fewer (Monotone). The two filters
// here have it, and so have NodeName, TaintToleration, NodeAffinity, required anti-affinity, and NodePorts as long
// as no two pods of a node hold one port. Others need not have it, and then no theorem speaks of them.
// PodTopologySpread compares domains: a group that leaves takes pods from other nodes along, and if the emptiest
// domain is emptier then, the pod's own one is too full. Required affinity to other pods fails once the pod has
// left that the preemptor has to be near. A filter of the caller may do as it likes. For these there are the
// invariants and the properties of the tests.

include "attempt.dfy"

// held adds up what those of a list hold that are there.
function held(list: seq<Pod>, there: set<Pod>, amount: Pod -> int): int {
  if list == [] then 0
  else (if list[0] in there then amount(list[0]) else 0) + held(list[1..], there, amount)
}

// lacks returns the code of one need: what the preemptor asks for, the whole node, and what is used there.
function lacks(need: int, whole: int, used: int): Code {
  if need <= 0 then Success
  else if need > whole then UnschedulableAndUnresolvable
  else if need > whole - used then Unschedulable
  else Success
}

// askUnschedulable fails on a cordoned node.
function askUnschedulable(s: Site): Code { if s.node.cordoned then UnschedulableAndUnresolvable else Success }

// askResources fails if the node has no place for one more pod, or too little for a request. Of several codes
// the worst counts.
function askResources(a: Attempt, s: Site, there: set<Pod>): Code {
  var list := s.running + s.nominated;
  var codes := [
    if held(list, there, (p: Pod) => 1) + 1 > s.node.pods then Unschedulable else Success,
    lacks(a.pod.cpu, s.node.cpu, held(list, there, (p: Pod) => p.cpu)),
    lacks(a.pod.memory, s.node.memory, held(list, there, (p: Pod) => p.memory))];
  if UnschedulableAndUnresolvable in codes then UnschedulableAndUnresolvable
  else if Unschedulable in codes then Unschedulable
  else Success
}

// runFilters asks the filters in their order. The first that fails is the answer.
function runFilters(a: Attempt, s: Site, there: set<Pod>): Code {
  if askUnschedulable(s) != Success then askUnschedulable(s) else askResources(a, s, there)
}

// promised lists the pods that are nominated to the node and at least as important as the preemptor.
function promised(a: Attempt, s: Site): seq<Pod> {
  only(s.nominated, (p: Pod) => p.priority >= a.pod.priority)
}

// fits asks the filters with the promised pods in place, and without them. Both answers have to be Success.
function fits(a: Attempt, s: Site, there: set<Pod>): Code {
  if promised(a, s) != [] && runFilters(a, s, there + setOf(promised(a, s))) != Success
  then runFilters(a, s, there + setOf(promised(a, s)))
  else runFilters(a, s, there)
}

// monotone is the property that the theorems rest on: who fits beside some pods fits beside fewer.
predicate monotone(passes: set<Pod> -> bool) {
  forall few, many :: few <= many && passes(many) ==> passes(few)
}

lemma HeldGrows(list: seq<Pod>, few: set<Pod>, many: set<Pod>, amount: Pod -> int)
  requires few <= many && forall p :: p in list ==> amount(p) >= 0
  ensures held(list, few, amount) <= held(list, many, amount)
{}

lemma FiltersAreMonotone(a: Attempt, s: Site, few: set<Pod>, many: set<Pod>)
  requires sound(s) && few <= many && runFilters(a, s, many) == Success
  ensures runFilters(a, s, few) == Success
{
  var list := s.running + s.nominated;
  HeldGrows(list, few, many, (p: Pod) => 1);
  HeldGrows(list, few, many, (p: Pod) => p.cpu);
  HeldGrows(list, few, many, (p: Pod) => p.memory);
}

// roomFor is fits as a predicate.
function roomFor(a: Attempt, s: Site): set<Pod> -> bool { there => fits(a, s, there) == Success }

// Theorem: the filters of the model are monotone, nominated pods and all.
lemma Monotone(a: Attempt, s: Site)
  requires sound(s)
  ensures monotone(roomFor(a, s))
{
  forall few, many | few <= many && roomFor(a, s)(many) ensures roomFor(a, s)(few) {
    FiltersAreMonotone(a, s, few, many);
    if promised(a, s) != [] {
      FiltersAreMonotone(a, s, few + setOf(promised(a, s)), many + setOf(promised(a, s)));
    }
  }
}
