package engine

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/answerjson"
	"github.com/outrank-go/outrank/internal/recreate"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Loss is what becomes of the work of a pod that is evicted (rules 11.12 to 11.15).
type Loss uint8

// What becomes of it, the mildest first.
const (
	// Moved: its controller makes it again, and another node has room for that now.
	Moved Loss = iota
	// Waits: its controller makes it again, no other node has room for that now, and some
	// other node could have if pods left it. A pod of a group that names one waits, too:
	// where a group is scheduled is not looked at.
	Waits
	// Lost: no controller makes it again, or no other node could take it whatever leaves
	// it: it is a pod of a DaemonSet, or its volume, its affinity or the like allows no
	// other node.
	Lost
)

// String returns "moved", "waits" or "lost".
func (l Loss) String() string { return answerjson.Text(lossTexts, l) }

var lossTexts = []string{Moved: "moved", Waits: "waits", Lost: "lost"}

// LossCosts is what each kind of loss costs, in a unit of the caller's.
type LossCosts struct{ Moved, Waits, Lost int64 }

// Of returns the cost of a loss, 0 for anything that is none.
func (c LossCosts) Of(l Loss) int64 {
	switch l {
	case Moved:
		return c.Moved
	case Waits:
		return c.Waits
	case Lost:
		return c.Lost
	}
	return 0
}

// Moves knows of a snapshot which pods could run elsewhere. It holds a copy of the
// snapshot as it was when it was made, and answers about that one: what has changed since
// does not matter to it. Any number of goroutines may use it at once; they take turns.
//
// [NewMoves] makes one. To the zero Moves every pod is Lost, with an error.
type Moves struct {
	mu   sync.Mutex
	eval *Evaluator
	snap *state.Snapshot
	// known are the answers for pods that every node answers alike.
	known map[string]elsewhere
	err   error
}

// errUnmade is about the zero Moves, which knows of no snapshot.
var errUnmade = fmt.Errorf("moves: %w: it was not made by NewMoves", outrank.ErrInvalid)

// elsewhere is which nodes take a pod: the first two that do and, if there are not two,
// the first two that could if pods left them. With two, one is not the pod's own.
type elsewhere struct{ fit, could [2]string }

// other returns whether one of the two is another node than this one.
func other(two [2]string, node string) bool {
	return two[0] != "" && two[0] != node || two[1] != "" && two[1] != node
}

// note adds a node, and reports whether there are two now.
func note(two *[2]string, node string) bool {
	if two[0] == "" {
		two[0] = node
		return false
	}
	two[1] = node
	return true
}

// NewMoves returns what is known of the snapshot as it is now, by the filters of the
// evaluator's configuration; nothing else of that counts. The snapshot is cloned. The
// error wraps [outrank.ErrInvalid] for no evaluator or snapshot, and for a snapshot of
// another release.
func NewMoves(e *Evaluator, cluster *Snapshot) (*Moves, error) {
	if e == nil || cluster == nil {
		return nil, fmt.Errorf("moves: %w: no evaluator or no snapshot", outrank.ErrInvalid)
	}
	snap := cluster.writes() // as cloning does
	if err := e.config.CheckRelease(snap); err != nil {
		return nil, err
	}
	plain := &Evaluator{chunk: e.chunk, config: dryrun.Settings{Release: e.config.Release, Filters: e.config.Filters, Plugins: e.config.Plugins}}
	return &Moves{eval: plain, snap: new(Snapshot).hold(snap.Clone()).of, known: map[string]elsewhere{}}, nil
}

// Of returns what becomes of the work of a running pod if it is evicted and every other
// pod stays where it is (rules 11.12 to 11.14). The pod's own node does not count: the
// preemptor takes the room there. Each pod is asked about by itself, so that two that
// could both take the last place elsewhere both count as moved; [Moves.Together] has them
// one after the other.
//
// A pod that the filters cannot be asked about is Lost, and [Moves.Err] says why. Time is
// that of asking nodes until one has room. Pods that are alike, such as the replicas of a
// Deployment, share an answer unless affinity, spread or a filter of the caller's looks
// at other pods: then each costs that.
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

// find asks about a pod, with the pod itself gone where that matters to other nodes than
// its own.
func (m *Moves) find(pod *outrank.Pod) (elsewhere, error) {
	again := m.again(pod)
	found, shared, err := m.findShared(again)
	if shared || err != nil {
		return found, err
	}
	err = m.snap.Trying(func() error {
		if p, ok := m.snap.Known(pod); ok {
			m.snap.Drop(p)
		}
		found, err = m.ask(again, pod.NodeName)
		return err
	})
	return found, err
}

// byOwner is the answer that no node need be asked for.
func byOwner(pod *outrank.Pod) (Loss, bool) {
	switch recreate.By(pod) {
	case recreate.Nobody, recreate.ForItsNode:
		return Lost, true
	case recreate.WithItsGroup:
		return Waits, true
	}
	return Moved, false
}

func (e *elsewhere) loss(node string) Loss {
	switch {
	case other(e.fit, node):
		return Moved
	case other(e.could, node):
		return Waits
	}
	return Lost
}

// findShared finds nodes for a pod that its controller has made again, if all nodes answer
// pods like it alike, whoever else runs.
func (m *Moves) findShared(pod *outrank.Pod) (found elsewhere, shared bool, err error) {
	s := search.Searches.Get().(*search.Search)
	defer s.Close()
	if err := s.Ask(context.Background(), &m.eval.config, m.snap, &preemption.Request{Pod: pod}); err != nil {
		return found, false, err
	}
	if !s.Attempt.Plan.Fixed || s.AnyPod || len(pod.Volumes) > 0 {
		return found, false, nil
	}
	alike := s.WriteSignature()
	if found, ok := m.known[string(alike)]; ok {
		return found, true, nil
	}
	if s.Attempt.Plan.Refused.Code == filters.Success {
		findTwo(s, &found, "", true)
	}
	s.Busy = false
	if len(m.known) >= mostKnownMoves {
		clear(m.known)
	}
	m.known[string(alike)] = found
	return found, true, nil
}

// ask finds another node than its own for such a pod, in the snapshot as it is.
func (m *Moves) ask(pod *outrank.Pod, own string) (found elsewhere, err error) {
	s := search.Searches.Get().(*search.Search)
	defer s.Close()
	if err := s.Ask(context.Background(), &m.eval.config, m.snap, &preemption.Request{Pod: pod}); err != nil {
		return found, err
	}
	if s.Attempt.Plan.Refused.Code == filters.Success {
		findTwo(s, &found, own, false)
	}
	s.Busy = false
	return found, nil
}

// mostKnownMoves bounds the memory of a Moves.
const mostKnownMoves = 1 << 14

// findTwo asks the nodes in their order, until enough is known of them: two that fit, or
// one other than the pod's own where nobody else will ask.
func findTwo(s *search.Search, found *elsewhere, own string, shared bool) {
	for _, slot := range s.Attempt.Asked.Snap.Order {
		n := s.Attempt.Asked.Snap.NodeStates[slot]
		if !shared && n.Name == own {
			continue
		}
		if s.Workers[0].Fits(slot) {
			if note(&found.fit, n.Name) || !shared {
				return
			}
		} else if found.could[1] == "" && s.Workers[0].Dry.Filter(n).Code == filters.Unschedulable {
			note(&found.could, n.Name)
		}
	}
}

// again is a pod as its controller makes it again, with a name that nobody has.
func (m *Moves) again(pod *outrank.Pod) *outrank.Pod {
	p := recreate.Pod(pod, pod.Name+"-again")
	for _, there := m.snap.PodStates.Of(p); there; _, there = m.snap.PodStates.Of(p) {
		p.Name += "-again"
	}
	return p
}

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

// Cost makes a [Config.Cost] of what [Moves.Of] says. It keeps the contract of Config.Cost,
// because the answer depends on the pod and on the copy of the snapshot alone. So an
// evaluator with it goes by what fitted where when the Moves was made: after changes that
// matter, make a new Moves and a new Evaluator. The costs of several victims are added up
// though each was asked about by itself.
//
// The costs of all pods on a node are asked for before the node is compared by
// [preemption.ByCost], also those of pods that cannot be victims.
func (m *Moves) Cost(costs LossCosts) func(victim *outrank.Pod) int64 {
	return func(victim *outrank.Pod) int64 { return costs.Of(m.Of(victim)) }
}

// Together returns what becomes of the victims of a candidate for the preemptor, in their
// order, once all of them are gone and the preemptor runs: each replacement takes the
// first node with room other than its own, in the order of the nodes, and is there when
// the next one is asked about (rule 11.15). So of two that could take the last place
// elsewhere the first moves. With a [preemption.Scorer] candidates can be compared by it, at the price
// of a few questions to all nodes for each candidate; Cost is cheaper, and says less.
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
	err = m.snap.Trying(func() error {
		losses, err = m.together(preemptor, c)
		return err
	})
	return losses, err
}

func (m *Moves) together(preemptor *outrank.Pod, c *preemption.Candidate) ([]Loss, error) {
	for i := range c.Victims {
		victim := c.Victims[i].Pod
		if victim == nil {
			return nil, fmt.Errorf("moves: %w: victim %d is missing", outrank.ErrInvalid, i)
		}
		p, ok := m.snap.Known(victim)
		if !ok {
			return nil, fmt.Errorf("pod %s: %w", victim.Key(), preemption.ErrNotFound)
		}
		m.snap.Drop(p)
	}
	if err := m.seat(preemptor, c.Node); err != nil {
		return nil, err
	}
	losses := make([]Loss, len(c.Victims))
	for i := range c.Victims {
		victim, own := c.Victims[i].Pod, cmp.Or(c.Victims[i].Node, c.Node)
		if loss, ok := byOwner(victim); ok {
			losses[i] = loss
			continue
		}
		pod := m.again(victim)
		found, err := m.ask(pod, own)
		if err != nil {
			return nil, err
		}
		if losses[i] = found.loss(own); losses[i] == Moved {
			if err := m.seat(pod, found.fit[0]); err != nil {
				return nil, err
			}
		}
	}
	return losses, nil
}

// seat has a pod run on a node.
func (m *Moves) seat(pod *outrank.Pod, node string) error {
	placed := *pod
	placed.NodeName, placed.NominatedNodeName = node, ""
	_, err := m.snap.PutPod(&placed)
	return err
}
