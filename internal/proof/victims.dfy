// The model of preemption/victims.go: the pods that have to leave one node. Left out are guards, which can refuse
// a pod that fits, and the other ways to find victims (Config.Victims, the variants).

include "budgets.dfy"

// Victim is a pod that has to leave, with the names of the budgets that its loss violates.
datatype Victim = Victim(pod: Pod, violated: seq<int>)

// Candidate is a node with its victims, the most important first.
datatype Candidate = Candidate(position: int, victims: seq<Victim>)

// Found is what a search on one node finds: a candidate, or why the node is none.
datatype Found = Found(candidate: Candidate) | Nothing(code: Code)

// selectVictims finds the pods that have to leave a node.
function selectVictims(a: Attempt, s: Site): Found {
  if possibleVictims(a, s) == [] then Nothing(UnschedulableAndUnresolvable)
  else removeAndReprieve(a, s, possibleVictims(a, s))
}

// possibleVictims lists the pods on the node that may be taken, the most important first.
function possibleVictims(a: Attempt, s: Site): seq<Pod> {
  byImportance(a, only(s.running, (p: Pod) => mayTake(a, p)))
}

// removeAndReprieve takes all possible victims away, and then puts back one after the other each that leaves the
// preemptor its room. The others are the victims.
function removeAndReprieve(a: Attempt, s: Site, possible: seq<Pod>): Found {
  var stay := setOf(s.running) - setOf(possible);
  if fits(a, s, stay) != Success then Nothing(fits(a, s, stay)) else
  var violated := charge(a, possible, untouched(a.cluster.budgets));
  var victims := reprieve(roomFor(a, s), stay, violatingFirst(possible, violated));
  if victims == [] then Nothing(Contradiction) else Found(candidate(a, s, victims, violated))
}

// reprieve puts the pods back one after the other. A pod stays if the preemptor still fits. The others are the
// victims. passes tells whether the preemptor fits beside a set of pods; there has the pods that are on the node.
function reprieve(passes: set<Pod> -> bool, there: set<Pod>, pods: seq<Pod>): seq<Pod>
  decreases pods
{
  if pods == [] then []
  else if passes(there + {pods[0]}) then reprieve(passes, there + {pods[0]}, pods[1..])
  else [pods[0]] + reprieve(passes, there, pods[1..])
}

// candidate puts a candidate together from its victims. It lists them by importance.
function candidate(a: Attempt, s: Site, victims: seq<Pod>, violated: Charges): Candidate {
  Candidate(s.position, withViolated(byImportance(a, victims), violated))
}

// withViolated adds to each victim the budgets that it violates.
function withViolated(pods: seq<Pod>, violated: Charges): seq<Victim> {
  if pods == [] then []
  else [Victim(pods[0], if pods[0] in violated then violated[pods[0]] else [])] + withViolated(pods[1..], violated)
}

// leaving has the pods of a candidate's victims.
function leaving(c: Candidate): set<Pod> { set v | v in c.victims :: v.pod }

// roomWithout reports whether the preemptor fits once some pods have left the node.
predicate roomWithout(a: Attempt, s: Site, gone: set<Pod>) { fits(a, s, setOf(s.running) - gone) == Success }

// The kernel, for every filter that is monotone and every order in which pods are put back:
// nobody is a victim who was not away, the preemptor fits once the victims are gone, and no victim could have stayed.
lemma Reprieved(passes: set<Pod> -> bool, there: set<Pod>, pods: seq<Pod>)
  requires monotone(passes) && passes(there)
  requires noDuplicates(pods) && there !! setOf(pods)
  ensures setOf(reprieve(passes, there, pods)) <= setOf(pods)
  ensures noDuplicates(reprieve(passes, there, pods))
  ensures passes(there + setOf(pods) - setOf(reprieve(passes, there, pods)))
  ensures forall v :: v in reprieve(passes, there, pods) ==>
    !passes(there + setOf(pods) - setOf(reprieve(passes, there, pods)) + {v})
  decreases pods
{
  if pods == [] {
    assert there + setOf(pods) - setOf(reprieve(passes, there, pods)) == there;
  } else {
    var p, rest := pods[0], pods[1..];
    assert p in setOf(pods) && p !in setOf(rest);
    assert setOf(pods) == {p} + setOf(rest);
    if passes(there + {p}) {
      var victims := reprieve(passes, there + {p}, rest);
      Reprieved(passes, there + {p}, rest);
      assert there + {p} + setOf(rest) - setOf(victims) == there + setOf(pods) - setOf(victims);
    } else {
      var others := reprieve(passes, there, rest);
      var victims := [p] + others;
      Reprieved(passes, there, rest);
      assert setOf(victims) == {p} + setOf(others);
      assert p !in setOf(others);
      var kept := there + setOf(pods) - setOf(victims);
      assert kept == there + setOf(rest) - setOf(others);
      forall v | v in victims ensures !passes(kept + {v}) {
        if v == p { assert there + {p} <= kept + {p}; }
      }
    }
  }
}

// What a search on one node finds, in terms of its pods.
lemma Selected(a: Attempt, s: Site)
  requires sound(s) && selectVictims(a, s).Found?
  ensures leaving(selectVictims(a, s).candidate) <= setOf(s.running)
  ensures forall v :: v in leaving(selectVictims(a, s).candidate) ==> mayTake(a, v)
  ensures roomFor(a, s)(setOf(s.running) - leaving(selectVictims(a, s).candidate))
  ensures forall v :: v in leaving(selectVictims(a, s).candidate) ==>
    !roomFor(a, s)(setOf(s.running) - leaving(selectVictims(a, s).candidate) + {v})
  ensures |selectVictims(a, s).candidate.victims| > 0
  ensures noDuplicates(selectVictims(a, s).candidate.victims)
  ensures selectVictims(a, s).candidate.position == s.position
{
  var taken := only(s.running, (p: Pod) => mayTake(a, p));
  Only(s.running, (p: Pod) => mayTake(a, p));
  SortedByImportance(a, taken);
  var possible := possibleVictims(a, s);
  assert forall p :: p in setOf(possible) ==> p in taken;

  var stay := setOf(s.running) - setOf(possible);
  var violated := charge(a, possible, untouched(a.cluster.budgets));
  var order := violatingFirst(possible, violated);
  ViolatingFirst(possible, violated);
  Monotone(a, s);
  Reprieved(roomFor(a, s), stay, order);
  assert stay + setOf(order) == setOf(s.running);

  var victims := reprieve(roomFor(a, s), stay, order);
  SortedByImportance(a, victims);
  Listed(byImportance(a, victims), violated);
  assert victims[0] in setOf(byImportance(a, victims));
  assert leaving(candidate(a, s, victims, violated)) == setOf(victims);
  forall v | v in setOf(victims) ensures mayTake(a, v) { assert v in setOf(possible); }
}

lemma Listed(pods: seq<Pod>, violated: Charges)
  ensures |withViolated(pods, violated)| == |pods|
  ensures forall v :: v in withViolated(pods, violated) ==> v.pod in pods
  ensures (set v | v in withViolated(pods, violated) :: v.pod) == setOf(pods)
  ensures noDuplicates(pods) ==> noDuplicates(withViolated(pods, violated))
{
  if pods != [] {
    var list, rest := withViolated(pods, violated), withViolated(pods[1..], violated);
    Listed(pods[1..], violated);
    assert list[0].pod == pods[0] && list[1..] == rest;
    assert (set v | v in list :: v.pod) == {pods[0]} + set v | v in rest :: v.pod;
  }
}

// Theorem: nobody of the preemptor's priority or above is a victim.
lemma OnlyLowerPrioritiesLeave(a: Attempt, s: Site, v: Pod)
  requires sound(s) && selectVictims(a, s).Found? && v in leaving(selectVictims(a, s).candidate)
  ensures v.priority < a.pod.priority
{
  Selected(a, s);
}

// Theorem: nobody is lost. Each pod of the node stays or is a victim, each victim once, and nobody else is one.
lemma NobodyIsLost(a: Attempt, s: Site, stays: set<Pod>)
  requires sound(s) && selectVictims(a, s).Found?
  requires stays == setOf(s.running) - leaving(selectVictims(a, s).candidate)
  ensures stays !! leaving(selectVictims(a, s).candidate)
  ensures stays + leaving(selectVictims(a, s).candidate) == setOf(s.running)
  ensures noDuplicates(selectVictims(a, s).candidate.victims)
{
  Selected(a, s);
}

// Theorem: the preemptor fits once the victims are gone.
lemma ThePodFits(a: Attempt, s: Site)
  requires sound(s) && selectVictims(a, s).Found?
  ensures roomWithout(a, s, leaving(selectVictims(a, s).candidate))
{
  Selected(a, s);
}

// Theorem: no victim leaves in vain. If only some of the victims left, the preemptor would not fit.
lemma NoVictimCouldStay(a: Attempt, s: Site, fewer: set<Pod>)
  requires sound(s) && selectVictims(a, s).Found? && fewer < leaving(selectVictims(a, s).candidate)
  ensures !roomWithout(a, s, fewer)
{
  var all := leaving(selectVictims(a, s).candidate);
  Selected(a, s);
  Monotone(a, s);
  var v :| v in all && v !in fewer;
  assert setOf(s.running) - all + {v} <= setOf(s.running) - fewer;
  assert !roomFor(a, s)(setOf(s.running) - all + {v});
  assert !roomFor(a, s)(setOf(s.running) - fewer);
}

// A node that has turned the pod down never contradicts itself: if all could come back, the pod would have fitted.
lemma NobodyHasTo(a: Attempt, s: Site)
  requires sound(s) && fits(a, s, setOf(s.running)) != Success
  ensures selectVictims(a, s) != Nothing(Contradiction)
{
  var taken := only(s.running, (p: Pod) => mayTake(a, p));
  Only(s.running, (p: Pod) => mayTake(a, p));
  SortedByImportance(a, taken);
  var possible := possibleVictims(a, s);
  var stay := setOf(s.running) - setOf(possible);
  var order := violatingFirst(possible, charge(a, possible, untouched(a.cluster.budgets)));
  ViolatingFirst(possible, charge(a, possible, untouched(a.cluster.budgets)));
  if fits(a, s, stay) == Success {
    Monotone(a, s);
    Reprieved(roomFor(a, s), stay, order);
    assert forall p :: p in possible ==> p in setOf(possible) && p in taken;
    if reprieve(roomFor(a, s), stay, order) == [] {
      assert stay + setOf(order) - setOf([]) == setOf(s.running);
      assert roomFor(a, s)(setOf(s.running));
    }
  } else {
    NoContradiction(a, s, stay);
  }
}

lemma NoContradiction(a: Attempt, s: Site, there: set<Pod>)
  ensures fits(a, s, there) != Contradiction
{}
