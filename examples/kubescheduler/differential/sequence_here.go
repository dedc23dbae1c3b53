package differential

import (
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// extent says how much of an attempt is compared.
type extent int

const (
	// whole is the extent of most attempts.
	whole extent = iota
	// otherNodes leaves out the nodes that the rule concerns, and the outcome. What the filters say of the others is
	// compared, and what removing pods does there.
	otherNodes
	// filtersAlone leaves out preemption. What the filters say of each node is compared.
	filtersAlone
	// nothing leaves out the attempt.
	nothing
)

// exemptions say which parts of an attempt are not compared.
type exemptions struct {
	// rule is the rule by which less than the whole attempt is compared; empty for none.
	rule     string
	compared extent
	// apart are the nodes that the rule concerns if the others are compared.
	apart map[string]bool
	// mixed says that the choice among the candidates is not compared.
	mixed bool
	// byOrder says that neither the victims nor the choice is compared.
	byOrder bool
}

func (s *sequenceRun) exemptions() exemptions {
	e := exemptions{mixed: s.mixedUnits(), byOrder: s.chargedByOrder()}
	e.rule, e.compared = s.here()
	if e.compared == otherNodes {
		e.apart = maps.Clone(s.shared)
	}
	return e
}

// here returns the rule by which outrank may differ on purpose in the attempt about the current pod, and what does
// not rest on that. The rule is empty if there is none.
func (s *sequenceRun) here() (rule string, compared extent) {
	switch {
	case s.claimsOfLostNodes():
		return "7.8.8", nothing
	case isPending(s.current) && s.objects.lacksClaim(s.current):
		return "7.10.4", nothing
	case s.nominationIsLate():
		return "8.3", filtersAlone
	case s.unitsOnLostNodes():
		return "12.6.7", filtersAlone
	case len(s.shared) > 0 && len(hostPorts(s.current)) > 0:
		return "7.6.8", otherNodes
	}
	return "", whole
}

// nominationIsLate reports whether the informers have not told of the pod's nomination yet.
func (s *sequenceRun) nominationIsLate() bool {
	return slices.ContainsFunc(s.late, func(p *corev1.Pod) bool {
		return podKey(p) == podKey(s.current) && p.Status.NominatedNodeName != s.current.Status.NominatedNodeName
	})
}

// toldOf leaves out the pods whose present nominations the informers do not know yet. Outrank clears those
// nominations; the reference does so only if the pod that it has names a node (rule 14.3.7).
func (s *sequenceRun) toldOf(pods []string) []string {
	return slices.DeleteFunc(slices.Clone(pods), func(key string) bool {
		return slices.ContainsFunc(s.late, func(p *corev1.Pod) bool {
			return podKey(p) == key && s.all[key] != nil && s.all[key].Status.NominatedNodeName != p.Status.NominatedNodeName
		})
	})
}

// ghost is a pending pod that is being deleted, and whose nomination the scheduler counts (rule 7.16.6). Outrank's
// own answer is that it takes no room. So that such an attempt can be compared, the followers are shown a pod that
// nobody deletes and that takes the room that the scheduler keeps.
type ghost struct {
	shown *outrank.Pod
	// bare says that the scheduler has dropped the pod, and has kept its name alone.
	bare bool
}

// findGhosts returns the ghosts of the scheduler's nominator.
func (s *sequenceRun) findGhosts() (ghosts []ghost, err error) {
	for _, n := range s.objects.Nodes {
		for _, info := range s.r.sched.SchedulingQueue.NominatedPodsForNode(n.Name) {
			p := s.all[podKey(info.GetPod())]
			if p == nil || !isDropped(p) {
				continue
			}
			g := ghost{bare: len(info.GetPod().Spec.Containers) == 0}
			g.shown = &outrank.Pod{Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), SchedulerName: corev1.DefaultSchedulerName}
			if !g.bare {
				if g.shown, err = s.undeleted(info.GetPod()); err != nil {
					return nil, err
				}
			}
			g.shown.NominatedNodeName = n.Name
			ghosts = append(ghosts, g)
		}
	}
	return ghosts, nil
}

// undeleted converts a pod as if nobody deleted it.
func (s *sequenceRun) undeleted(p *corev1.Pod) (*outrank.Pod, error) {
	c := s.asCaseOf(p)
	c.Preemptor = p.DeepCopy()
	c.Preemptor.DeletionTimestamp = nil
	cluster, err := s.Harness.Convert(c)
	if err != nil {
		return nil, err
	}
	converted := *cluster.Pod(p.Namespace, p.Name)
	return &converted, nil
}

// withGhosts returns the cluster of a follower with the ghosts as they are shown.
func (s *sequenceRun) withGhosts(snap *engine.Snapshot) (*engine.Snapshot, error) {
	if len(s.ghosts) == 0 {
		return snap, nil
	}
	snap = snap.Clone()
	for _, g := range s.ghosts {
		// A version without the deletion would count as an older one.
		if err := snap.RemovePod(g.shown.Key()); err != nil && !errors.Is(err, preemption.ErrNotFound) {
			return nil, err
		}
		if _, err := snap.PutPod(g.shown); err != nil {
			return nil, err
		}
		if err := snap.Nominate(g.shown.Key(), g.shown.NominatedNodeName); err != nil {
			return nil, err
		}
	}
	return snap, nil
}

// isBareGhost reports whether the scheduler knows nothing but the name of a pod. Such a pod has no nomination that
// could be taken away.
func (s *sequenceRun) isBareGhost(key string) bool {
	return slices.ContainsFunc(s.ghosts, func(g ghost) bool { return g.bare && string(g.shown.Key()) == key })
}

// claimsOfLostNodes reports whether the pod shares a claim with a pod whose node is gone, or was gone once.
func (s *sequenceRun) claimsOfLostNodes() bool {
	if slices.ContainsFunc(claimsOf(s.current), func(claim string) bool { return s.miscounted[s.current.Namespace+"/"+claim] }) {
		return true
	}
	return slices.ContainsFunc(s.known(), func(p *corev1.Pod) bool {
		if isPending(p) || p.Namespace != s.current.Namespace || slices.ContainsFunc(s.objects.Nodes, func(n *corev1.Node) bool { return n.Name == p.Spec.NodeName }) {
			return false
		}
		return slices.ContainsFunc(claimsOf(p), func(claim string) bool { return slices.Contains(claimsOf(s.current), claim) })
	})
}

func claimsOf(p *corev1.Pod) []string {
	var list []string
	for i := range p.Spec.Volumes {
		if c := p.Spec.Volumes[i].PersistentVolumeClaim; c != nil {
			list = append(list, c.ClaimName)
		}
	}
	return list
}
