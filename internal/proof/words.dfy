// The words of the model, in which the book's decision is told again so that a machine can check what always
// holds of it. Files and functions have the names that they have in package preemption, and stand in its order:
// attempt, fits, eligible, units, budgets, victims, candidates, ranks, preempt. kubelet.dfy is about package
// kubeletadmit. A function is a definition, which decides; a lemma is a sentence about definitions, and the
// braces after it hold the hints that the machine needed. The theorems are lemmas with "Theorem" above them.
//
// Numbers are those of mathematics. The book's have 64 bits, and its sums stop at their ends.
//
// The model is smaller than the book. A pod asks for cpu and memory. It belongs to one app, by which budgets
// select it. It leaves alone: groups of pods are left out, and "pod" stands where the book says "unit". What a
// file leaves out besides, its first comment says.

// Pod is a pod of the cluster, or the preemptor.
datatype Pod = Pod(
  name: int,          // pods of one cluster differ in it
  node: int,          // the position of the node that the pod runs on, -1 for none
  nominated: int,     // the position of the node that it is nominated to, -1 for none
  priority: int,
  start: int,         // 0 for none
  cpu: int,
  memory: int,
  app: int,           // 0 for none
  never: bool,        // its preemption policy is Never
  terminating: bool,  // it is being deleted
  preempted: bool,    // the reason is that the scheduler preempted it
  gated: bool,
  finished: bool)

datatype Node = Node(cpu: int, memory: int, pods: int, cordoned: bool)

// Budget selects pods by their apps. disrupted has the names of pods whose disruption it has counted.
datatype Budget = Budget(name: int, apps: set<int>, allowed: int, disrupted: set<int>)

// Rules says what depends on the release.
datatype Rules = Rules(budgetsStopAtFirst: bool, gatedNominations: bool)

datatype Cluster = Cluster(nodes: seq<Node>, pods: seq<Pod>, budgets: seq<Budget>, rules: Rules)

// Code is the answer of a node about the preemptor.
datatype Code = Success | Unschedulable | UnschedulableAndUnresolvable | Contradiction

// setOf has the elements of a list.
function setOf<T>(list: seq<T>): set<T> { set x | x in list }

// only keeps what is wanted of a list, in its order.
function only<T>(list: seq<T>, wanted: T -> bool): seq<T> {
  if list == [] then []
  else if wanted(list[0]) then [list[0]] + only(list[1..], wanted)
  else only(list[1..], wanted)
}

// compareInts is cmp.Compare: below 0 if x is the lower one.
function compareInts(x: int, y: int): int { if x < y then -1 else if x > y then 1 else 0 }

// or is cmp.Or: the first one that is not 0.
function or(x: int, y: int): int { if x != 0 then x else y }

predicate noDuplicates<T>(list: seq<T>) {
  list == [] || (list[0] !in list[1..] && noDuplicates(list[1..]))
}

lemma Only<T>(list: seq<T>, wanted: T -> bool)
  ensures forall x :: x in only(list, wanted) <==> x in list && wanted(x)
  ensures noDuplicates(list) ==> noDuplicates(only(list, wanted))
{}
