// The model of preemption/attempt.go: what is worked out before the first node is asked. Left out are pods of
// other schedulers, and a preemptor that runs already and asks for a resize.

include "words.dfy"

// Attempt is one attempt to make room for a pod. now stands in for the start of pods that have none, 0 if it is
// not known. ranks are those of the configuration, in any order and any number of times.
datatype Attempt = Attempt(cluster: Cluster, pod: Pod, now: int, ranks: seq<Rank>)

// Rank names what candidates are compared by (ranks.dfy).
datatype Rank = ByViolations | ByTopPriority | ByPrioritySum | ByVictims | ByStart

// Site is a node together with the pods that run there or are expected there.
datatype Site = Site(position: int, node: Node, running: seq<Pod>, nominated: seq<Pod>)

// newAttempt lists the sites of an attempt, in the order of the nodes.
function newAttempt(a: Attempt): seq<Site> { sitesFrom(a, 0) }

function sitesFrom(a: Attempt, position: nat): seq<Site>
  decreases |a.cluster.nodes| - position
{
  if position >= |a.cluster.nodes| then [] else [settle(a, position)] + sitesFrom(a, position + 1)
}

// settle finds the pods of a node. A pod that has ended counts nowhere.
function settle(a: Attempt, position: nat): Site
  requires position < |a.cluster.nodes|
{
  Site(position, a.cluster.nodes[position],
    only(a.cluster.pods, (p: Pod) => runsOn(p, position)),
    only(a.cluster.pods, (p: Pod) => waitsFor(a, p, position)))
}

predicate runsOn(p: Pod, position: int) { !p.finished && p.node == position }

predicate waitsFor(a: Attempt, p: Pod, position: int) {
  !p.finished && p.node == -1 && p.nominated == position && countsNomination(a, p)
}

// countsNomination reports whether a pending pod holds room on the node that it is nominated to.
predicate countsNomination(a: Attempt, p: Pod) {
  p.name != a.pod.name && (!p.gated || a.cluster.rules.gatedNominations) && !p.terminating
}

// valid is what a cluster is checked for before anything is decided: requests are not negative, and no two pods
// have one name.
predicate valid(c: Cluster) {
  (forall p :: p in c.pods ==> p.cpu >= 0 && p.memory >= 0) && differByName(c.pods)
}

predicate differByName(pods: seq<Pod>) {
  pods == [] || ((forall q :: q in pods[1..] ==> q.name != pods[0].name) && differByName(pods[1..]))
}

// sound says of a site what valid says of the cluster that it comes from.
predicate sound(s: Site) {
  noDuplicates(s.running) && (forall p :: p in s.running + s.nominated ==> p.cpu >= 0 && p.memory >= 0) &&
  (forall p, q :: p in s.running && q in s.running && p.name == q.name ==> p == q) &&
  setOf(s.running) !! setOf(s.nominated)
}

lemma DifferByName(pods: seq<Pod>)
  requires differByName(pods)
  ensures noDuplicates(pods)
  ensures forall p, q :: p in pods && q in pods && p.name == q.name ==> p == q
{}

lemma Settled(a: Attempt, position: nat)
  requires valid(a.cluster) && position < |a.cluster.nodes|
  ensures sound(settle(a, position))
{
  DifferByName(a.cluster.pods);
  Only(a.cluster.pods, (p: Pod) => runsOn(p, position));
  Only(a.cluster.pods, (p: Pod) => waitsFor(a, p, position));
}

lemma Sites(a: Attempt, from: nat)
  requires valid(a.cluster) && from <= |a.cluster.nodes|
  ensures |sitesFrom(a, from)| == |a.cluster.nodes| - from
  ensures forall i :: 0 <= i < |sitesFrom(a, from)| ==>
    sitesFrom(a, from)[i].position == from + i && sound(sitesFrom(a, from)[i])
  decreases |a.cluster.nodes| - from
{
  if from < |a.cluster.nodes| {
    Settled(a, from);
    Sites(a, from + 1);
  }
}
