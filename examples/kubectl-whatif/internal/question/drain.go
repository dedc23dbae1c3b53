package question

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Drain is the drain of nodes, played to its end: the nodes are cordoned, then their pods
// evicted node by node, as disruption budgets let them go; replacements take their turns with
// whatever else waits, and are ready before the next are evicted. Pods of DaemonSets and
// static pods stay, and pods without a controller are evicted and lost, as kubectl drain does
// with --ignore-daemonsets and --force.
type Drain struct {
	// Nodes are drained in this order.
	Nodes []string `json:"nodes"`
	// Pods have to be evicted, Evicted of them are in the end, and Waits is how often the drain
	// waits until replacements are ready.
	Pods    int `json:"pods"`
	Evicted int `json:"evicted"`
	Waits   int `json:"waits"`
	// Stuck is set where the drain never ends: StuckAt is the node, and Held are the pods on it
	// that may never be evicted.
	Stuck   bool      `json:"stuck,omitempty"`
	StuckAt string    `json:"stuckAt,omitempty"`
	Held    []HeldPod `json:"held"`
	// Freed is what budgets would have to allow so that the drain goes through, as was tried;
	// nil where it does as things are, and where nothing was found.
	Freed []Allowance `json:"freed,omitempty"`
	// Pending are the replacements that find no place, with the reasons, and Victims the pods
	// that are pushed out meanwhile, for replacements and others that wait: a pod as often as it is.
	Pending []Turn   `json:"pending"`
	Victims []Victim `json:"victims"`
}

// HeldPod is a pod that a drain may not evict.
type HeldPod struct {
	Pod Pod `json:"pod"`
	// Budgets cover it. Where they are several, no eviction of it is ever let through.
	Budgets []outrank.Key `json:"budgets"`
}

// BudgetLoad is the effect of the nodes' removal on a disruption budget.
type BudgetLoad struct {
	Key outrank.Key `json:"key"`
	// Allowed is the number of its pods that may go, and Pods the number of them
	// on the nodes, which would be evicted.
	Allowed int32 `json:"allowed"`
	Pods    int   `json:"pods"`
	// Unready are those of the pods that are not ready, and Free those of them
	// that a drain may evict whatever the budget allows: pods that have not
	// started, and others by the budget's policy for pods that are not ready.
	Unready int `json:"unready,omitempty"`
	Free    int `json:"free,omitempty"`
	// Drain is the effect on a drain, which keeps to budgets, and Evicted the number of the
	// pods that it evicts in the end. The loss of a node does not ask budgets: it breaks one
	// that loses more ready pods than may go.
	Drain   DrainEffect `json:"drain"`
	Evicted int         `json:"evicted"`
}

// DrainEffect is the effect of a budget on a drain.
type DrainEffect string

// The effects.
const (
	// Lets: all may go at once.
	Lets DrainEffect = "lets"
	// Slows: some may go at once, and the others once replacements are ready.
	Slows DrainEffect = "slows"
	// Stops: some may go, and the others never.
	Stops DrainEffect = "stops"
	// Blocks: none may ever go.
	Blocks DrainEffect = "blocks"
	// Several: some are covered by other budgets, too, and no eviction of these is let through.
	Several DrainEffect = "several"
	// NotReached: the drain is stuck before it comes to them.
	NotReached DrainEffect = "not-reached"
)

// draining is a drain while it is played.
type draining struct {
	*Scenario
	out *Drain
	// spare is how many more pods of each budget are healthy than have to be; below 0
	// where they are too few.
	spare []int
	loads []BudgetLoad
	// refused marks budgets that kept a pod back at least once, and several those of which a
	// pod was kept back because other budgets cover it, too.
	refused, several []bool
	// stale is set where the snapshot does not have the budgets as they are.
	stale bool
	// brief is set where nobody asks for the replacements of a node that empties at once.
	brief bool
	// left is how many turns may still be taken, nil for any number, and cut is set where they
	// ran out.
	turnsLeft *int
	ranOut    bool
	// turns counts the turns of pods, and ends says when no further one is wanted; nil for never.
	turns  int
	enough func() bool
	// queue has every pod that waits, and others that did: nil before the first look, which is at
	// all pods. Later ones would take most of the time.
	queue []outrank.Key
	// places has where each pod was that has waited or left a node since the present node began to be
	// emptied: before that.
	firstPlaces map[outrank.Key]location
	// evicted is set once every pod of the present node is.
	evicted bool
}

// drain plays the drain of a change, and looks for what frees it where it is stuck.
func (a *Aftermath) drain(of *drainage) error {
	d, err := of.play(a)
	if err != nil {
		return err
	}
	for i := range d.loads {
		l := &d.loads[i]
		if l.Pods > 0 {
			l.Drain = d.effect(i)
			a.Budgets = append(a.Budgets, *l)
		}
	}
	slices.SortFunc(a.Budgets, func(a, b BudgetLoad) int { return compareText(string(a.Key), string(b.Key)) })
	if d.out.Stuck {
		if err := d.out.findAllowances(of); err != nil {
			return err
		}
	}
	a.Drains = append(a.Drains, *d.out)
	return nil
}

// play plays the drain to its end; a gets the pods that no drain can evict.
func (of *drainage) play(a *Aftermath) (*draining, error) {
	d := of.before.draining(of.nodes)
	if err := d.cordon(); err != nil {
		return nil, err
	}
	if err := d.finishDeletions(); err != nil {
		return nil, err
	}
	d.countLoads(of.nodes, a)
	return d, d.emptyAll()
}

// draining is a drain of the scenario that is still to begin.
func (s *Scenario) draining(nodes []string) *draining {
	f := s.Fork()
	f.Watch(nil)
	return &draining{Scenario: f, out: newDrain(nodes)}
}

func newDrain(nodes []string) *Drain {
	return &Drain{Nodes: nodes, Held: []HeldPod{}, Pending: []Turn{}, Victims: []Victim{}}
}

// cordon keeps pods from the nodes.
func (d *draining) cordon() error {
	for _, name := range d.out.Nodes {
		n, _ := d.snap.Node(name)
		cordoned := *n
		cordoned.Unschedulable = true
		if err := d.snap.PutNode(&cordoned); err != nil {
			return err
		}
	}
	return nil
}

// emptyAll empties the nodes one after the other, as far as it goes.
func (d *draining) emptyAll() error {
	for _, node := range d.out.Nodes {
		done, err := d.empty(node)
		if err != nil {
			return err
		}
		if !done {
			d.out.Stuck, d.out.StuckAt = true, node
			return nil
		}
	}
	return nil
}

// load counts the pods of each budget on the nodes, before the first is evicted.
func (d *draining) countLoads(nodes []string, a *Aftermath) {
	d.loads, d.spare = make([]BudgetLoad, len(d.allowed)), make([]int, len(d.allowed))
	d.refused, d.several = make([]bool, len(d.allowed)), make([]bool, len(d.allowed))
	for i, b := range d.allowed {
		d.loads[i].Key, d.loads[i].Allowed = b.Key(), b.DisruptionsAllowed
		if d.spare[i] = int(b.DisruptionsAllowed); b.DisruptionsAllowed <= 0 {
			d.spare[i] = min(0, int(b.CurrentHealthy-b.DesiredHealthy))
		}
	}
	for _, node := range nodes {
		for _, p := range d.snap.PodsOn(node) {
			if tied(p) {
				continue
			}
			d.out.Pods++
			covering := d.budgets.Covering(p)
			for _, i := range covering {
				d.loads[i].add(p, d.allowed[i])
			}
			if len(covering) > 1 && p.Phase != outrank.PhasePending {
				a.Refused = append(a.Refused, podOf(p, node))
			}
		}
	}
}

// bear counts a pod that the budget covers.
func (l *BudgetLoad) add(p *outrank.Pod, b *outrank.PodDisruptionBudget) {
	l.Pods++
	if p.Ready {
		return
	}
	l.Unready++
	if evictableAnyway(p, b) {
		l.Free++
	}
}

// free reports whether a pod may be evicted whatever the budget allows.
func evictableAnyway(p *outrank.Pod, b *outrank.PodDisruptionBudget) bool {
	return p.Phase == outrank.PhasePending ||
		!p.Ready && (b.UnhealthyPodEvictionPolicy == outrank.AlwaysAllow || b.DesiredHealthy > 0 && b.CurrentHealthy >= b.DesiredHealthy)
}

// empty evicts the pods of a node, and reports whether all could go.
func (d *draining) empty(node string) (bool, error) {
	rest := slices.DeleteFunc(d.snap.PodsOn(node), tied)
	seen := map[[16]byte]bool{} // states since the last eviction
	d.firstPlaces = map[outrank.Key]location{}
	for {
		var left []*outrank.Pod
		for _, p := range rest {
			if now, ok := d.snap.Pod(p.Key()); !ok || now != p {
				d.countEvicted(p) // pushed out by a replacement that tolerates the cordon
				continue
			}
			if !d.mayEvict(p) {
				left = append(left, p)
				continue
			}
			if err := d.evict(p, node); err != nil {
				return false, err
			}
		}
		if d.brief && d.out.Waits == 0 && len(left) == 0 {
			return true, nil
		}
		if d.turnsLeft != nil && *d.turnsLeft <= 0 {
			d.ranOut = true
			return false, nil
		}
		d.evicted = len(left) == 0
		changed, err := d.playReplacements()
		if err != nil {
			return false, err
		}
		switch {
		case len(left) == 0:
			return true, nil
		case len(left) < len(rest):
			clear(seen)
		case !changed || seen[d.state()]:
			// Pods that push each other out for ever change things, and lead nowhere.
			d.recordHeld(left, node)
			return false, nil
		default:
			seen[d.state()] = true
		}
		rest = left
		d.out.Waits++
	}
}

// place is where a pod is, or is nominated to, and whether it is ready there.
type location struct {
	node, nomination string
	ready            bool
}

// placeOf is where a pod is by now; zero for one that is gone.
func (d *draining) placeOf(key outrank.Key) (at location) {
	if p, ok := d.snap.Pod(key); ok {
		at.node, at.ready = d.snap.NodeOf(key), p.Ready
		if at.node == "" {
			at.nomination = d.snap.NominationOf(key)
		}
	}
	return at
}

// note keeps where a pod was first.
func (d *draining) rememberPlace(key outrank.Key, at location) {
	if _, known := d.firstPlaces[key]; !known && d.firstPlaces != nil {
		d.firstPlaces[key] = at
	}
}

// state is equal where every pod is where it was, and as ready, and no more are gone for good. It
// tells of those that are elsewhere than at first, because what has moved grows, and may come back.
func (d *draining) state() (sum [16]byte) {
	hash := fnv.New128a()
	for _, key := range slices.Sorted(maps.Keys(d.firstPlaces)) {
		if at := d.placeOf(key); at != d.firstPlaces[key] {
			fmt.Fprintf(hash, "%q %q %q %t\n", key, at.node, at.nomination, at.ready)
		}
	}
	fmt.Fprintln(hash, len(d.lost), len(d.tied), len(d.leaving))
	hash.Sum(sum[:0])
	return sum
}

// lets reports whether the eviction of a pod is let through now.
func (d *draining) mayEvict(p *outrank.Pod) bool {
	covering := d.budgets.Covering(p)
	switch {
	case len(covering) == 0, p.Phase == outrank.PhasePending:
		return true
	case len(covering) > 1:
		for _, i := range covering {
			d.several[i] = true
		}
		return false
	}
	b := d.allowed[covering[0]]
	if evictableAnyway(p, b) || b.DisruptionsAllowed > 0 {
		return true
	}
	d.refused[covering[0]] = true
	return false
}

// evict takes a pod from its node; its controller recreates it.
func (d *draining) evict(p *outrank.Pod, node string) error {
	d.countEvicted(p)
	d.rememberPlace(p.Key(), d.placeOf(p.Key()))
	if err := d.release(p, motion{origin: FromNode, from: node}); err != nil {
		return err
	}
	d.countGone(p)
	if d.queue != nil {
		d.queue = append(d.queue, p.Key())
	}
	return nil
}

// next lists the pods for a scheduler, in its order.
func (d *draining) nextInLine() []*outrank.Pod {
	var out []*outrank.Pod
	if d.queue == nil {
		out = d.waiting()
	} else {
		waits, seen := d.waits(), make(map[outrank.Key]bool, len(d.queue))
		for _, key := range d.queue {
			if p, ok := d.snap.Pod(key); ok && !seen[key] && waits(p) {
				seen[key] = true
				out = append(out, p)
			}
		}
		out = inTurn(out)
	}
	d.queue = make([]outrank.Key, len(out))
	for i, p := range out {
		d.queue[i] = p.Key()
		d.rememberPlace(p.Key(), d.placeOf(p.Key()))
	}
	return out
}

// count counts a pod that has left its node.
func (d *draining) countEvicted(p *outrank.Pod) {
	d.out.Evicted++
	for _, i := range d.budgets.Covering(p) {
		d.loads[i].Evicted++
	}
}

// lose counts a healthy pod off that has left, unless its eviction was counted before; another
// of its name is another pod.
func (d *draining) countGone(p *outrank.Pod) {
	for _, i := range d.budgets.Covering(p) {
		b := d.allowed[i]
		if _, counted := b.DisruptedPods[p.Name]; counted {
			now := *b
			now.DisruptedPods = maps.Clone(b.DisruptedPods)
			delete(now.DisruptedPods, p.Name)
			d.allowed[i] = &now
			d.stale = true
		} else if p.Ready {
			d.spare[i]--
		}
	}
}

// replace lets replacements take their turns, and with them everybody else who waits; those that
// run then are ready. It reports whether anything changed.
func (d *draining) playReplacements() (changed bool, err error) {
	l := &queuing{Scenario: d.Scenario, rest: d.line(d.nextInLine())}
	l.onEvict = func(p *outrank.Pod) {
		d.countGone(p)
		d.rememberPlace(p.Key(), location{node: p.NodeName, ready: p.Ready})
		d.queue = append(d.queue, p.Key())
	}

	var runs []outrank.Key // pods that have found a place
	d.out.Pending = d.out.Pending[:0]
	goesOn := func(*queue.Entry) bool { return d.enough == nil || !d.enough() }
	err = l.play(goesOn, func(t Turn, m motion) {
		d.turns++
		changed = changed || len(t.Victims) > 0
		d.out.Victims = append(d.out.Victims, t.Victims...)
		switch {
		case t.Group:
			for _, member := range t.Members {
				if member.Node != "" {
					runs = append(runs, member.Key)
				}
			}
		case (t.Outcome == Placed || t.Outcome == PushesOut) && !t.Resize && t.InVain == nil:
			runs = append(runs, t.Pod.Key)
		case m.origin != Waiting && m.origin != Ending && m.origin != Resizing:
			d.out.Pending = append(d.out.Pending, t)
		}
	})
	if err != nil {
		return false, err
	}
	if d.turnsLeft != nil {
		*d.turnsLeft -= l.done
	}

	// Whoever has found a place starts there, and counts for its budgets from then on.
	for _, key := range runs {
		p, ok := d.snap.Pod(key)
		if !ok || p.Ready || d.snap.NodeOf(key) == "" {
			continue // pushed out again
		}
		changed = true
		healthy := *p
		healthy.Ready, healthy.NodeName = true, d.snap.NodeOf(key)
		if _, err := d.snap.PutPod(&healthy); err != nil {
			return false, err
		}
		for _, i := range d.budgets.Covering(&healthy) {
			d.spare[i]++
		}
	}
	return changed, d.updateBudgets()
}

// allow gives the budgets the status that follows.
func (d *draining) updateBudgets() error {
	for i, b := range d.allowed {
		allowed, healthy := int32(max(0, d.spare[i])), b.DesiredHealthy+int32(d.spare[i])
		if allowed == b.DisruptionsAllowed && healthy == b.CurrentHealthy && !d.stale {
			continue
		}
		now := *b
		now.DisruptionsAllowed, now.CurrentHealthy = allowed, healthy
		d.allowed[i] = &now
		if err := d.snap.PutBudget(&now); err != nil {
			return err
		}
	}
	d.stale = false
	return nil
}

// hold records the pods that may never go.
func (d *draining) recordHeld(rest []*outrank.Pod, node string) {
	for _, p := range rest {
		h := HeldPod{Pod: podOf(p, node), Budgets: []outrank.Key{}}
		for _, i := range d.budgets.Covering(p) {
			h.Budgets = append(h.Budgets, d.allowed[i].Key())
		}
		d.out.Held = append(d.out.Held, h)
	}
}

// effect is the effect of a budget on the drain as it went.
func (d *draining) effect(i int) DrainEffect {
	switch l := &d.loads[i]; {
	case l.Evicted == l.Pods && !d.refused[i]:
		return Lets
	case l.Evicted == l.Pods:
		return Slows
	case !d.refused[i] && d.several[i]:
		return Several
	case !d.refused[i]:
		return NotReached
	case l.Evicted > 0:
		return Stops
	}
	return Blocks
}
