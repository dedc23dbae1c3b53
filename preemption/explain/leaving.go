package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// mostSorted is the largest number of terminating pods of which each is tried to find out which of them have to
// leave. If there are more, all of them are listed.
const mostSorted = 16

// leaving finds a node that takes the pod once terminating pods are gone. It returns nil if no node takes the pod with
// all of them gone.
func (b *bench) leaving() (out *Leaving, err error) {
	var all []*outrank.Pod
	for n := range b.snap.Nodes() {
		for _, p := range b.snap.PodsOn(n.Name) {
			if p.Terminating() && p.Key() != b.req.Pod.Key() {
				all = append(all, p)
			}
		}
	}
	if len(all) == 0 {
		return nil, nil
	}

	// Of several nodes the one that the pod is nominated to is preferred.
	nodes, err := b.takes(all)
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	node := nodes[0]
	if wish := b.snap.NominationOf(b.req.Pod.Key()); slices.Contains(nodes, wish) {
		node = wish
	}
	pods, err := b.needed(all, node)
	if err != nil {
		return nil, err
	}
	return &Leaving{Node: node, Nodes: len(nodes), Pods: b.refs(pods)}, nil
}

// takes lists the nodes that take the pod once these pods are gone. For a pod that is resized in place that can only be
// its own node.
func (b *bench) takes(gone []*outrank.Pod) (nodes []string, err error) {
	pod := b.req.Pod
	err = b.trial(func() error {
		if err := b.remove(gone); err != nil {
			return err
		}

		if pod.ResizeDeferred && pod.NodeName != "" {
			if ok, err := b.fits(pod.NodeName); err != nil || !ok {
				return err
			}
			nodes = []string{pod.NodeName}
			return nil
		}

		// A pending pod may run anywhere, also on other nodes than the one it is nominated to.
		anywhere, err := b.unnominated(pod)
		if err != nil {
			return err
		}
		feasible, err := b.e.Feasible(b.ctx, b.snap, anywhere)
		for _, n := range feasible {
			nodes = append(nodes, n.Name)
		}
		return err
	})
	return nodes, err
}

// unnominated removes the pod's nomination from the scratch, and returns a copy of the pod without one. Otherwise the
// nominated node would be the only one asked if it takes the pod (rule 7.15.5).
func (b *bench) unnominated(pod *outrank.Pod) (*outrank.Pod, error) {
	p := *pod
	p.NominatedNodeName = ""
	if b.snap.NominationOf(p.Key()) == "" {
		return &p, nil
	}
	return &p, b.snap.Nominate(p.Key(), "")
}

// fits reports whether the node takes the pod in the current scratch.
func (b *bench) fits(node string) (bool, error) {
	s, err := b.e.Check(b.snap, b.req.Pod, node)
	return s.Code == preemption.Success, err
}

// fitsWithout reports whether the node takes the pod once these pods are gone.
func (b *bench) fitsWithout(gone []*outrank.Pod, node string) (ok bool, err error) {
	return ok, b.trial(func() error {
		if err := b.remove(gone); err != nil {
			return err
		}
		ok, err = b.fits(node)
		return err
	})
}

// needed lists pods that have to leave so that the node takes the preemptor. It takes the preemptor with all of the
// given pods gone. If the pods of the node itself are enough, only these are listed. Of at most mostSorted pods, those
// that are not needed are left out.
func (b *bench) needed(all []*outrank.Pod, node string) ([]*outrank.Pod, error) {
	set := slices.DeleteFunc(slices.Clone(all), func(p *outrank.Pod) bool { return b.snap.NodeOf(p.Key()) != node })
	ok, err := b.fitsWithout(set, node)
	if err != nil {
		return nil, err
	}
	if !ok {
		set = all
	}

	// Each pod is put back in turn, and is left out of the set if the node still takes the preemptor.
	for i := len(set) - 1; i >= 0 && len(set) <= mostSorted && len(set) > 1; i-- {
		rest := slices.Delete(slices.Clone(set), i, i+1)
		ok, err := b.fitsWithout(rest, node)
		if err != nil {
			return nil, err
		}
		if ok {
			set = rest
		}
	}
	return set, nil
}
