package joint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Moves knows of a snapshot which pods could run elsewhere. It holds a copy of the
// snapshot as it was when the Moves was made, and answers for that copy: what has changed since
// does not matter to it. Any number of goroutines may use it at once; they take turns.
//
// [NewMoves] makes one. By the zero Moves every pod is Lost, and Err is an error.
type Moves struct {
	mu sync.Mutex
	// eval goes by the filters alone, as config says.
	eval   *engine.Evaluator
	config preemption.Config
	snap   *engine.Snapshot
	// nodes are the names of all nodes, in their order.
	nodes []string
	// alike has the answers for pods to which no node says anything else than to others like them.
	alike alikePods
	// err is the first error.
	err error
}

// errUnmade is the error of the zero Moves, which knows of no snapshot.
var errUnmade = fmt.Errorf("moves: %w: it was not made by NewMoves", outrank.ErrInvalid)

// elsewhere says where a pod could run. fit has the first two nodes that take it. If there are not two, could
// has the first two that could take it if pods left them. Of two nodes one is not the pod's own.
type elsewhere struct{ fit, could [2]string }

// namesOther reports whether one of the two is another node than this one.
func namesOther(two [2]string, node string) bool {
	return two[0] != "" && two[0] != node || two[1] != "" && two[1] != node
}

// addNode adds a node unless there are two already.
func addNode(two *[2]string, node string) {
	switch {
	case two[0] == "":
		two[0] = node
	case two[1] == "":
		two[1] = node
	}
}

// NewMoves returns a Moves for the snapshot as it is now. Of the evaluator's configuration only the filters
// and their profile count. The snapshot is cloned. The error wraps [outrank.ErrInvalid] for no evaluator or
// snapshot.
func NewMoves(eval *engine.Evaluator, snap *engine.Snapshot) (*Moves, error) {
	if eval == nil || snap == nil {
		return nil, fmt.Errorf("moves: %w: no evaluator or no snapshot", outrank.ErrInvalid)
	}
	config := eval.Config()
	plain, err := engine.New(preemption.Config{Filters: config.Filters, Profile: config.Profile})
	if err != nil {
		return nil, err
	}
	m := &Moves{eval: plain, config: plain.Config(), snap: snap.Clone()}
	for n := range m.snap.Nodes() {
		m.nodes = append(m.nodes, n.Name)
	}
	return m, nil
}

// Of returns what becomes of the work of a running pod if it is evicted and every other
// pod stays where it is (rules 11.12 to 11.14). The pod's own node does not count: the
// preemptor takes the room there. Each pod is asked about by itself. So where two pods
// could take the last place elsewhere both count as moved; [Moves.Together] takes them
// one after the other.
//
// A pod that the filters cannot be asked about is Lost, and [Moves.Err] says why. Time is
// that of asking nodes until one has room. Pods that are alike, such as the replicas of a
// Deployment, share an answer, and only the first one takes that time. They do not where they have volumes,
// affinity to other pods or a spread constraint that can keep them away, or where a filter of the caller's has
// something to say about them.
func (m *Moves) Of(pod *outrank.Pod) Loss {
	m.mu.Lock()
	defer m.mu.Unlock()
	if pod == nil {
		m.fail(fmt.Errorf("moves: %w: no pod", outrank.ErrInvalid))
		return Lost
	}
	if m.eval == nil {
		m.fail(errUnmade)
		return Lost
	}
	if loss, ok := byOwner(pod); ok {
		return loss
	}
	found, err := m.find(pod)
	if err != nil {
		m.fail(fmt.Errorf("pod %s: %w", pod.Key(), err))
		return Lost
	}
	return found.loss(pod.NodeName)
}

// find finds out where the replacement of a pod could run. The pod itself is gone for that where it matters to
// other nodes than its own.
func (m *Moves) find(pod *outrank.Pod) (elsewhere, error) {
	replacement := m.recreate(pod)
	stands, err := m.standsAlone(replacement)
	if err != nil {
		return elsewhere{}, err
	}
	// The answer counts for pods on any node, so it is asked for without the node of this one.
	if stands {
		return m.alike.answer(m.snap, replacement, func() (elsewhere, error) { return m.ask(replacement, "") })
	}

	var found elsewhere
	err = m.trying(func() error {
		if _, err := m.remove(pod); err != nil {
			return err
		}
		found, err = m.ask(replacement, pod.NodeName)
		return err
	})
	return found, err
}

// standsAlone reports whether other pods matter to a node that is asked about this pod only by what they take and
// whom they keep away. Then neither the pod in whose place it comes, nor where that pod runs, matters to any node
// but that pod's own.
func (m *Moves) standsAlone(pod *outrank.Pod) (bool, error) {
	near := len(pod.Affinity.PodAffinity) + len(pod.Affinity.PodAntiAffinity)
	if near+len(pod.Volumes) > 0 || spreads(pod.TopologySpreadConstraints) {
		return false, nil
	}
	profile := &m.config.Profile
	if profile.SpreadSelector != nil && spreads(profile.DefaultConstraints) && profile.SpreadSelector(pod) != nil {
		return false, nil
	}

	for _, f := range m.config.Filters {
		if f.Start == nil {
			continue // it looks at no other pods
		}
		state, err := f.Start(pod, m.snap)
		if err != nil {
			return false, fmt.Errorf("filter %s: %w", f.Name, err)
		}
		if state != nil {
			return false, nil
		}
	}
	return true, nil
}

// spreads reports whether one of the constraints can keep a pod away.
func spreads(constraints []outrank.TopologySpreadConstraint) bool {
	return slices.ContainsFunc(constraints, func(c outrank.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable != outrank.ScheduleAnyway
	})
}

// loss returns what becomes of a pod that runs on this node, which does not count.
func (e *elsewhere) loss(node string) Loss {
	switch {
	case namesOther(e.fit, node):
		return Moved
	case namesOther(e.could, node):
		return Waits
	}
	return Lost
}

// ask finds nodes for a replacement in the snapshot as it is. Without own it finds the first two nodes. own is the
// node of the victim: it does not count then, and the first node is enough.
func (m *Moves) ask(pod *outrank.Pod, own string) (found elsewhere, err error) {
	lookAt, err := m.eval.LookAt(m.snap, preemption.Request{Pod: pod})
	if err != nil {
		return found, err
	}

	// One node may be the victim's own unless that is known, so two are looked for.
	enough := func(nodes [2]string) bool { return nodes[1] != "" || own != "" && nodes[0] != "" }
	at := 0
	for ; at < len(m.nodes) && at < oneByOneFirst && !enough(found.fit); at++ {
		code, err := m.codeOf(lookAt, at, own)
		if err != nil {
			return found, err
		}
		if code == preemption.Success {
			addNode(&found.fit, m.nodes[at])
		} else if code == preemption.Unschedulable {
			addNode(&found.could, m.nodes[at])
		}
	}
	if enough(found.fit) {
		return found, nil
	}

	// Feasible lists the nodes that were asked already as well, so fit is made anew.
	feasible, err := m.eval.Feasible(context.Background(), m.snap, pod)
	if err != nil {
		return found, err
	}
	found.fit = [2]string{}
	for _, n := range feasible {
		if n.Name != own {
			addNode(&found.fit, n.Name)
		}
	}

	// The nodes that could take the pod matter only where those that do are too few.
	for ; at < len(m.nodes) && !enough(found.fit) && !enough(found.could); at++ {
		code, err := m.codeOf(lookAt, at, own)
		if err != nil {
			return found, err
		}
		if code == preemption.Unschedulable {
			addNode(&found.could, m.nodes[at])
		}
	}
	return found, nil
}

// oneByOneFirst is how many nodes are asked one by one before all nodes are asked at once. Mostly one of the first has
// room, or no node has. In the second case the question to all is the faster one: an evaluator passes over full nodes
// without a look at any of their pods.
const oneByOneFirst = 8

// codeOf returns what a node says to a pod as things are. The pod's own node counts as one that never takes it.
func (m *Moves) codeOf(lookAt looker, at int, own string) (preemption.Code, error) {
	if m.nodes[at] == own {
		return preemption.UnschedulableAndUnresolvable, nil
	}
	view, err := lookAt(m.nodes[at])
	if err != nil {
		return "", err
	}
	return view.Check().Code, nil
}

// recreate returns the pod that a controller creates in place of this one, with a name that no pod has.
func (m *Moves) recreate(pod *outrank.Pod) *outrank.Pod {
	p := lifecycle.Recreate(pod, pod.Name+"-again")
	for _, there := m.snap.Pod(p.Key()); there; _, there = m.snap.Pod(p.Key()) {
		p.Name += "-again"
	}
	return p
}

// trying calls try, and takes back what that changed in the snapshot.
func (m *Moves) trying(try func() error) (err error) {
	mark := m.snap.Mark()
	defer func() { err = errors.Join(err, m.snap.Undo(mark)) }()
	return try()
}

// fail remembers the first error.
func (m *Moves) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// Err returns the first error that a question ran into, nil if none has: a pod that is
// not valid, or a filter of the caller's that failed. What it was about counts as Lost.
func (m *Moves) Err() error {
	if m == nil {
		return errUnmade
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Cost makes a Cost for a [preemption.Rank] of what [Moves.Of] says. It keeps the contract of such a Cost,
// because the answer depends on the pod and on the copy of the snapshot alone. So an
// evaluator with it goes by what fitted where when the Moves was made: after changes that
// matter, make a new Moves and a new Evaluator. The costs of several victims are added up
// though each was asked about by itself.
//
// The costs of all pods on a node are asked for before the node is compared by
// the rank, also those of pods that cannot be victims.
func (m *Moves) Cost(costs LossCosts) func(victim *outrank.Pod) int64 {
	return func(victim *outrank.Pod) int64 { return costs.Of(m.Of(victim)) }
}

// Together returns what becomes of the victims of a candidate for the preemptor, in their
// order, once all of them are gone and the preemptor runs. Each replacement takes the
// first node with room other than its own, in the order of the nodes, and is there when
// the next one is asked about (rule 11.15). So where two could take the last place
// elsewhere, the first moves. [Outlooks] looks for the best places rather than the first.
//
// A rank whose Figure calls Together compares candidates by it. That takes a few questions to all nodes for each
// candidate; Cost is cheaper, and says less.
//
// Errors are [preemption.ErrNotFound] for a victim that is not in the copy of the snapshot, those about the
// preemptor, and a filter's. Time is that of asking nodes for each victim.
func (m *Moves) Together(preemptor *outrank.Pod, c *preemption.Candidate) (losses []Loss, err error) {
	if m == nil {
		return nil, errUnmade
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.eval == nil {
		return nil, errUnmade
	}
	if preemptor == nil || c == nil {
		return nil, fmt.Errorf("moves: %w: no preemptor or no candidate", outrank.ErrInvalid)
	}
	err = m.trying(func() error {
		losses, err = m.together(preemptor, c)
		return err
	})
	return losses, err
}

// together is Together in the snapshot, and leaves the pods where they were put.
func (m *Moves) together(preemptor *outrank.Pod, c *preemption.Candidate) ([]Loss, error) {
	for i := range c.Victims {
		victim := c.Victims[i].Pod
		if victim == nil {
			return nil, fmt.Errorf("moves: %w: victim %d is missing", outrank.ErrInvalid, i)
		}
		if known, err := m.remove(victim); !known || err != nil {
			return nil, cmp.Or(err, fmt.Errorf("pod %s: %w", victim.Key(), preemption.ErrNotFound))
		}
	}
	if err := m.seat(preemptor, c.Node); err != nil {
		return nil, err
	}

	losses := make([]Loss, len(c.Victims))
	for i := range c.Victims {
		// A victim without a node of its own runs on that of the candidate.
		victim, own := c.Victims[i].Pod, cmp.Or(c.Victims[i].Node, c.Node)
		if loss, ok := byOwner(victim); ok {
			losses[i] = loss
			continue
		}

		// A replacement that moves is there when the next one is asked about.
		replacement := m.recreate(victim)
		found, err := m.ask(replacement, own)
		if err != nil {
			return nil, err
		}
		if losses[i] = found.loss(own); losses[i] == Moved {
			if err := m.seat(replacement, found.fit[0]); err != nil {
				return nil, err
			}
		}
	}
	return losses, nil
}

// remove removes a pod if the snapshot has it. One of its name with another UID is another pod.
func (m *Moves) remove(pod *outrank.Pod) (known bool, err error) {
	there, ok := m.snap.Pod(pod.Key())
	if !ok || there.UID != pod.UID && there.UID != "" && pod.UID != "" {
		return false, nil
	}
	return true, m.snap.RemovePod(pod.Key())
}

// seat has a pod run on a node.
func (m *Moves) seat(pod *outrank.Pod, node string) error {
	placed := *pod
	placed.NodeName, placed.NominatedNodeName = node, ""
	_, err := m.snap.PutPod(&placed)
	return err
}
