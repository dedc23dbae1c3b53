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

// Moves says which pods of a snapshot could run elsewhere. It clones the snapshot when it is made, and answers for
// that clone: later changes do not matter to it. Any number of goroutines may use it at once; they take turns.
//
// Use [NewMoves] to make one. For the zero Moves every pod is Lost, and Err returns an error.
type Moves struct {
	mu sync.Mutex
	// eval has only the filters and the profile of the caller's evaluator, and config is its configuration.
	eval   *engine.Evaluator
	config preemption.Config
	snap   *engine.Snapshot
	// nodes lists the names of all nodes, in the order of the snapshot.
	nodes []string
	// alike remembers the answers about pods, which all pods share that look the same to every node.
	alike alikePods
	// err is the first error of a question; Err returns it.
	err error
}

// errUnmade is the error of the zero Moves, which has no snapshot.
var errUnmade = fmt.Errorf("moves: %w: it was not made by NewMoves", outrank.ErrInvalid)

// elsewhere says where a pod could run: fit has up to two nodes that take it now, and could up to two that could take
// it if pods left. could may be incomplete if fit has enough nodes. Two are enough for a pod on any node, because at
// most one of them is the pod's own.
type elsewhere struct{ fit, could [2]string }

// namesOther reports whether one of the two names is set and is not the given node.
func namesOther(two [2]string, node string) bool {
	return two[0] != "" && two[0] != node || two[1] != "" && two[1] != node
}

// addNode sets the first name that is empty; if both are set it does nothing.
func addNode(two *[2]string, node string) {
	switch {
	case two[0] == "":
		two[0] = node
	case two[1] == "":
		two[1] = node
	}
}

// NewMoves returns a Moves for the snapshot as it is now, which it clones. Of the evaluator's configuration it uses
// only Filters and Profile. The error wraps [outrank.ErrInvalid] if the evaluator or the snapshot is nil.
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

// Of returns what becomes of the work of a running pod if it is evicted and every other pod stays where it is
// (rules 11.12 to 11.14). The pod's own node does not count, because the preemptor takes the room there. Of
// considers one pod at a time: if two pods could take the last place elsewhere, both count as Moved.
// [Moves.Together] places them one after the other.
//
// If a question about the pod fails, the pod is Lost, and [Moves.Err] returns the reason. Of asks nodes until one
// has room. Pods that are alike, such as the replicas of a Deployment, share the answer, and only the first takes
// that time. Pods share no answer if they have volumes, affinity to other pods or a spread constraint that can
// keep them away, or if a filter of the caller keeps state for them (Filter.Start).
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

// find returns where the replacement of a pod could run. If the pod can matter to nodes other than its own, it is
// removed for the question.
func (m *Moves) find(pod *outrank.Pod) (elsewhere, error) {
	replacement := m.recreate(pod)
	stands, err := m.standsAlone(replacement)
	if err != nil {
		return elsewhere{}, err
	}
	// The answer is shared with pods on other nodes, so the pod's own node is not left out of it.
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

// standsAlone reports whether no filter looks at pods on other nodes on behalf of this pod: it has no affinity,
// volumes or spread constraints that could keep it away, and no filter of the caller keeps state for it. Removing the
// pod that it replaces then changes nothing on nodes other than that pod's own.
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
			continue // a filter without state looks at no other pods
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

// loss returns the loss of a pod that runs on this node; the node itself does not count.
func (e *elsewhere) loss(node string) Loss {
	switch {
	case namesOther(e.fit, node):
		return Moved
	case namesOther(e.could, node):
		return Waits
	}
	return Lost
}

// ask finds nodes for a replacement in the current snapshot. own is the node of the victim, which is skipped; one
// other node is then enough. If own is empty, ask looks for two nodes.
func (m *Moves) ask(pod *outrank.Pod, own string) (found elsewhere, err error) {
	lookAt, err := m.eval.LookAt(m.snap, preemption.Request{Pod: pod})
	if err != nil {
		return found, err
	}

	// If own is unknown, one of the nodes could be it, so two are needed.
	enough := func(nodes [2]string) bool { return nodes[1] != "" || own != "" && nodes[0] != "" }

	// The first few nodes are asked one by one.
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

	// Feasible also lists nodes that were asked above, so fit is filled from scratch.
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

	// The nodes that could take the pod only matter if too few take it now.
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

// oneByOneFirst is the number of nodes that are asked one by one before all are asked at once. Usually one of the first
// nodes has room, or no node has. In the second case asking all at once is faster, because the evaluator then skips
// full nodes without looking at their pods.
const oneByOneFirst = 8

// codeOf returns the status code of a node for the pod. The victim's own node counts as one that never takes the pod.
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

// recreate returns the pod that a controller creates in place of this one, under a name that no pod of the snapshot
// has.
func (m *Moves) recreate(pod *outrank.Pod) *outrank.Pod {
	p := lifecycle.Recreate(pod, pod.Name+"-again")
	for _, there := m.snap.Pod(p.Key()); there; _, there = m.snap.Pod(p.Key()) {
		p.Name += "-again"
	}
	return p
}

// trying calls try, and then undoes its changes of the snapshot.
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

// Err returns the first error of a question, or nil: a pod was not valid, or a filter of the caller failed. The pod in
// question counts as Lost.
func (m *Moves) Err() error {
	if m == nil {
		return errUnmade
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Cost returns a Cost for a [preemption.Rank], which prices the answer of [Moves.Of]. It keeps the contract of
// a Cost, because the answer depends only on the pod and on the clone of the snapshot. So an evaluator with this
// Cost judges by the cluster as it was when the Moves was made: after changes that matter, make a new Moves and a
// new Evaluator. The costs of several victims are added up, although each was considered by itself.
//
// Before a node is compared by the rank, the costs of all its pods are computed, even of pods that cannot be victims.
func (m *Moves) Cost(costs LossCosts) func(victim *outrank.Pod) int64 {
	return func(victim *outrank.Pod) int64 { return costs.Of(m.Of(victim)) }
}

// Together returns what becomes of the victims of a candidate, in their order, once all of them are gone and the
// preemptor runs on the candidate's node. Each replacement takes the first node with room, in the order of the
// nodes and without its victim's own, and occupies it when the next replacement is placed (rule 11.15). So if two
// could take the last place elsewhere, only the first moves. [Outlooks] searches for the best places instead.
//
// A rank whose Figure calls Together compares candidates by it. That asks all nodes a few times for each
// candidate; Cost is cheaper, and less precise.
//
// Errors are [preemption.ErrNotFound] for a victim that is not in the clone of the snapshot, errors about the
// preemptor, and those of a filter.
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

// together does the work of Together in the snapshot, and does not undo its changes there.
func (m *Moves) together(preemptor *outrank.Pod, c *preemption.Candidate) ([]Loss, error) {
	// All victims leave before the preemptor comes, as when the candidate is carried out.
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
		// Victim.Node is empty for a victim on the candidate's node.
		victim, own := c.Victims[i].Pod, cmp.Or(c.Victims[i].Node, c.Node)
		if loss, ok := byOwner(victim); ok {
			losses[i] = loss
			continue
		}

		// A replacement that moves occupies its node when the next one is placed.
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

// remove removes a pod if the snapshot has it. A pod of the same name with another UID is a different pod.
func (m *Moves) remove(pod *outrank.Pod) (known bool, err error) {
	there, ok := m.snap.Pod(pod.Key())
	if !ok || there.UID != pod.UID && there.UID != "" && pod.UID != "" {
		return false, nil
	}
	return true, m.snap.RemovePod(pod.Key())
}

// seat puts a pod into the snapshot, running on a node.
func (m *Moves) seat(pod *outrank.Pod, node string) error {
	placed := *pod
	placed.NodeName, placed.NominatedNodeName = node, ""
	_, err := m.snap.PutPod(&placed)
	return err
}
