// The model of preemption/eligible.go: whether the pod may preempt, and whom. Left out are the caller's rules
// (Eligibility.Take, AnyPriority): who allows any priority gives up Theorem Lower.

include "fits.dfy"

// Ineligibility says why the pod may not preempt.
datatype Ineligibility = Eligible | PolicyNever | VictimsTerminating

// mayPreempt returns why the pod may not preempt. before has the answers of the nodes.
function mayPreempt(a: Attempt, sites: seq<Site>, before: seq<Code>): Ineligibility
  requires |sites| == |before|
{
  if a.pod.never then PolicyNever
  else if 0 <= a.pod.nominated < |sites| && before[a.pod.nominated] == Unschedulable &&
    anyLeaves(a, sites[a.pod.nominated])
  then VictimsTerminating
  else Eligible
}

// anyLeaves reports whether a pod that the preemptor could take is leaving the node because of a preemption.
predicate anyLeaves(a: Attempt, s: Site) {
  exists p :: p in s.running && leavesByPreemption(p) && mayTake(a, p)
}

predicate leavesByPreemption(p: Pod) { p.terminating && p.preempted }

// mayTake reports whether the preemptor may take a pod: its priority has to be lower.
predicate mayTake(a: Attempt, p: Pod) { p.priority < a.pod.priority }
