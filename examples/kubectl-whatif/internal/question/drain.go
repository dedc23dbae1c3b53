package question

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Drain is the drain of nodes, played to its end. The nodes are cordoned, then their pods are evicted node by
// node, as disruption budgets let them go. Replacements take their turns together with all other waiting pods,
// and are ready before more pods are evicted. Like kubectl drain with --ignore-daemonsets and --force, it
// leaves pods of DaemonSets and static pods in place, and evicts pods without a controller, which are lost.
type Drain struct {
	// Nodes lists the nodes in the order in which they are drained.
	Nodes []string `json:"nodes"`
	// Pods counts the pods that have to be evicted, and Evicted the pods that are evicted in the end. Waits
	// counts how often the drain waits for replacements to be ready.
	Pods    int `json:"pods"`
	Evicted int `json:"evicted"`
	Waits   int `json:"waits"`
	// Stuck is set for a drain that never ends. StuckAt is the node where it stops, and Held lists the pods there
	// that may never be evicted.
	Stuck   bool      `json:"stuck,omitempty"`
	StuckAt string    `json:"stuckAt,omitempty"`
	Held    []HeldPod `json:"held"`
	// Freed says how many disruptions budgets would have to allow for a stuck drain to go through, which was
	// tried. It is nil if the drain is not stuck or if nothing was found.
	Freed []Allowance `json:"freed,omitempty"`
	// Pending has the turns of the replacements that find no place. Victims lists the pods that are pushed out
	// during the drain, for replacements and for other waiting pods. A pod that is pushed out twice is listed
	// twice.
	Pending []Turn   `json:"pending"`
	Victims []Victim `json:"victims"`
}

// HeldPod is a pod that a drain can never evict.
type HeldPod struct {
	Pod Pod `json:"pod"`
	// Budgets lists the budgets that cover the pod. A pod with several is never evicted.
	Budgets []outrank.Key `json:"budgets"`
}

// BudgetLoad says what the removal of nodes does to a disruption budget.
type BudgetLoad struct {
	Key outrank.Key `json:"key"`
	// Allowed is the number of pods that the budget lets go. Pods counts the budget's pods on the nodes, all of
	// which would be evicted.
	Allowed int32 `json:"allowed"`
	Pods    int   `json:"pods"`
	// Unready counts the pods that are not ready. Free counts those of them that a drain may evict whatever the
	// budget allows: pods that have not started, and others if the budget's policy for unready pods says so.
	Unready int `json:"unready,omitempty"`
	Free    int `json:"free,omitempty"`
	// Drain is the effect on a drain, which respects budgets. Evicted counts the pods that it evicts in the
	// end. The loss of a node asks no budget: it breaks a budget that loses more ready pods than it lets go.
	Drain   DrainEffect `json:"drain"`
	Evicted int         `json:"evicted"`
}

// DrainEffect is the effect of a budget on a drain.
type DrainEffect string

// The effects, from the mildest to the worst; NotReached says that the effect is not known.
const (
	// Lets means that all pods may go at once.
	Lets DrainEffect = "lets"
	// Slows means that some pods may go at once, and the others once replacements are ready.
	Slows DrainEffect = "slows"
	// Stops means that some pods may go, and the others never.
	Stops DrainEffect = "stops"
	// Blocks means that no pod may ever go.
	Blocks DrainEffect = "blocks"
	// Several means that other budgets cover some of the pods, too, which are therefore never evicted.
	Several DrainEffect = "several"
	// NotReached means that the drain is stuck before it gets to the pods.
	NotReached DrainEffect = "not-reached"
)

// draining is a drain in progress.
type draining struct {
	*Scenario
	out *Drain
	// spare counts, by budget, how many more healthy pods there are than the budget wants. It is negative if
	// there are too few.
	spare []int
	// loads has the effect on each budget.
	loads []BudgetLoad
	// refused marks the budgets that kept a pod back at least once. several marks the budgets of a pod that was
	// kept back because more than one covers it.
	refused, several []bool
	// stale is set while the budgets in the snapshot lag behind allowed.
	stale bool
	// turnsLeft is the number of turns that may still be played, or nil without a limit. ranOut is set once it
	// was used up.
	turnsLeft *int
	ranOut    bool
	// turns counts the turns that were played. enough, if set, reports that no further turn is wanted.
	turns  int
	enough func() bool
	// queue lists every waiting pod, and some pods that no longer wait. It is nil before the first look, which
	// goes through all pods of the cluster. Looking at all of them each time would take most of the time of a
	// drain.
	queue []outrank.Key
	// firstPlaces maps each pod that has moved while the present node is emptied to its place before that.
	firstPlaces map[outrank.Key]location
	// evicted is set once every pod of the present node is evicted.
	evicted bool
	// show is called with the nodes that are empty, where one drain empties several.
	show func(done, total int)
}

// drain plays the drain of a change. If the drain is stuck, it looks for allowances with which it goes through. It
// calls show with the nodes that are done.
func (a *Aftermath) drain(change *drainage, show func(done, total int)) error {
	d, err := change.play(a, show)
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
	slices.SortFunc(a.Budgets, func(a, b BudgetLoad) int { return cmp.Compare(a.Key, b.Key) })

	if d.out.Stuck {
		if err := d.out.findAllowances(change, show); err != nil {
			return err
		}
	}
	a.Drains = append(a.Drains, *d.out)
	return nil
}

// play plays the drain to its end. It adds the pods that no drain can evict to a.Refused.
func (c *drainage) play(a *Aftermath, show func(done, total int)) (*draining, error) {
	d := c.before.draining(c.nodes)
	d.show = show
	if err := d.cordon(); err != nil {
		return nil, err
	}
	if err := d.finishDeletions(); err != nil {
		return nil, err
	}
	d.countLoads(c.nodes, a)
	return d, d.emptyAll()
}

// draining returns a drain of a fork of the scenario, before its first step.
func (s *Scenario) draining(nodes []string) *draining {
	f := s.Fork()
	f.Watch(nil)
	return &draining{Scenario: f, out: newDrain(nodes)}
}

// newDrain returns the drain before its first step.
func newDrain(nodes []string) *Drain {
	return &Drain{Nodes: nodes, Held: []HeldPod{}, Pending: []Turn{}, Victims: []Victim{}}
}

// cordon marks the nodes as unschedulable.
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

// emptyAll empties the nodes one after the other, and stops at the first that cannot be emptied.
func (d *draining) emptyAll() error {
	for i, node := range d.out.Nodes {
		done, err := d.empty(node)
		if err != nil {
			return err
		}
		if !done {
			d.out.Stuck, d.out.StuckAt = true, node
			return nil
		}
		d.show(i+1, len(d.out.Nodes))
	}
	return nil
}

// countLoads counts the pods of each budget on the nodes before the first is evicted. It adds the pods that no
// drain can evict to a.Refused.
func (d *draining) countLoads(nodes []string, a *Aftermath) {
	budgets := len(d.allowed)
	d.loads = make([]BudgetLoad, budgets)
	d.spare = make([]int, budgets)
	d.refused = make([]bool, budgets)
	d.several = make([]bool, budgets)

	// The status that the budget's controller wrote says how many pods may go. If none may, the numbers of pods
	// say how many have to become healthy first.
	for i, b := range d.allowed {
		d.loads[i].Key, d.loads[i].Allowed = b.Key(), b.DisruptionsAllowed
		if d.spare[i] = int(b.DisruptionsAllowed); b.DisruptionsAllowed <= 0 {
			d.spare[i] = min(0, int(b.CurrentHealthy-b.DesiredHealthy))
		}
	}

	for _, node := range nodes {
		for _, p := range d.snap.PodsOn(node) {
			if TiedToItsNode(p) {
				continue
			}

			d.out.Pods++
			covering := d.budgets.Covering(p)
			for _, i := range covering {
				d.loads[i].add(p, d.allowed[i])
			}
			if len(covering) > 1 && p.Phase != outrank.PhasePending {
				a.Refused = append(a.Refused, NameOf(p, node))
			}
		}
	}
}

// add counts a pod that the budget covers.
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

// evictableAnyway reports whether a pod may be evicted whatever the budget allows: it has not started, or it is
// not ready and the budget lets such pods go, because its policy says so or because enough others are healthy.
func evictableAnyway(p *outrank.Pod, b *outrank.PodDisruptionBudget) bool {
	return p.Phase == outrank.PhasePending ||
		!p.Ready && (b.UnhealthyPodEvictionPolicy == outrank.AlwaysAllow || b.DesiredHealthy > 0 && b.CurrentHealthy >= b.DesiredHealthy)
}

// empty evicts the pods of a node, round by round, and reports whether all could go. After each round
// replacements take their turns, so that budgets may let more pods go in the next.
//
// It terminates: each round evicts a pod, or leaves the cluster in a state that it has not been in since the last
// eviction.
func (d *draining) empty(node string) (bool, error) {
	rest := slices.DeleteFunc(d.snap.PodsOn(node), TiedToItsNode)
	seen := map[[16]byte]bool{} // states since the last eviction
	d.firstPlaces = map[outrank.Key]location{}
	for {
		left, err := d.evictAllowed(rest, node)
		if err != nil {
			return false, err
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
			// The state was seen before, so that the same rounds would repeat forever: pods push each other out
			// in turn, and no pod of the node can go.
			d.recordHeld(left, node)
			return false, nil
		default:
			seen[d.state()] = true
		}
		rest = left
		d.out.Waits++
	}
}

// evictAllowed evicts the pods that budgets let go, and returns the others.
func (d *draining) evictAllowed(pods []*outrank.Pod, node string) (left []*outrank.Pod, err error) {
	for _, p := range pods {
		// A replacement that tolerates the cordon may have pushed the pod out already. A different pod under
		// its name is not the pod that was to be evicted.
		if now, ok := d.snap.Pod(p.Key()); !ok || now != p {
			d.countEvicted(p)
			continue
		}

		if !d.mayEvict(p) {
			left = append(left, p)
			continue
		}
		if err := d.evict(p, node); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// location says where a pod is or, while it waits, to which node it is nominated, and whether it is ready.
type location struct {
	node, nomination string
	ready            bool
}

// placeOf returns where a pod is now. It is zero for a pod that is gone.
func (d *draining) placeOf(key outrank.Key) (at location) {
	if p, ok := d.snap.Pod(key); ok {
		at.node, at.ready = d.snap.NodeOf(key), p.Ready
		if at.node == "" {
			at.nomination = d.snap.NominationOf(key)
		}
	}
	return at
}

// rememberPlace records where a pod was when the node began to be emptied, unless that is recorded already.
func (d *draining) rememberPlace(key outrank.Key, at location) {
	if _, known := d.firstPlaces[key]; !known && d.firstPlaces != nil {
		d.firstPlaces[key] = at
	}
}

// state returns a hash of the cluster's present state. Two states are equal if every pod is at the same place
// and as ready in both, and equally many pods are gone for good. Only pods away from their first place are
// hashed: pods enter firstPlaces when they move, and a pod that came back counts as if it had never moved.
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

// mayEvict reports whether the API server lets a pod be evicted now. It marks the budgets that keep the pod back.
func (d *draining) mayEvict(p *outrank.Pod) bool {
	by := d.keptBy(p, func(i int) int32 { return d.allowed[i].DisruptionsAllowed })
	marks := d.refused
	if len(by) > 1 {
		marks = d.several
	}
	for _, i := range by {
		marks[i] = true
	}
	return len(by) == 0
}

// keptBy returns the indexes of the budgets that keep a pod from being evicted while budgets allow that many
// disruptions. Several of them keep it back together.
func (s *scene) keptBy(p *outrank.Pod, allows func(i int) int32) []int {
	// The API server evicts no pod that several budgets cover, unless it has not started.
	covering := s.budgets.Covering(p)
	if len(covering) == 0 || p.Phase == outrank.PhasePending {
		return nil
	}
	if len(covering) == 1 && (evictableAnyway(p, s.allowed[covering[0]]) || allows(covering[0]) > 0) {
		return nil
	}
	return covering
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

// nextInLine lists the waiting pods in the order of a scheduler, and makes them the queue.
func (d *draining) nextInLine() []*outrank.Pod {
	var out []*outrank.Pod
	if d.queue == nil {
		out = d.waiting()
	} else {
		// A pod that waits now waited at the last look, or has left its node since then. The queue has both.
		waits := d.waits()
		for _, key := range d.queue {
			if p, ok := d.snap.Pod(key); ok && waits(p) {
				out = append(out, p)
			}
		}
		// A pod that left its node twice is in the queue twice, and side by side in order.
		out = slices.Compact(inTurn(out))
	}

	d.queue = make([]outrank.Key, len(out))
	for i, p := range out {
		key := p.Key()
		d.queue[i] = key
		if _, known := d.firstPlaces[key]; !known {
			d.rememberPlace(key, d.placeOf(key))
		}
	}
	return out
}

// countEvicted counts a pod of the drained nodes that has left its node.
func (d *draining) countEvicted(p *outrank.Pod) {
	d.out.Evicted++
	for _, i := range d.budgets.Covering(p) {
		d.loads[i].Evicted++
	}
}

// countGone counts a pod that has left as one healthy pod less for its budgets, unless that was done when its
// eviction was allowed.
func (d *draining) countGone(p *outrank.Pod) {
	for _, i := range d.budgets.Covering(p) {
		b := d.allowed[i]
		if _, counted := b.DisruptedPods[p.Name]; counted {
			// A later pod of that name is a different pod and counts again.
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

// playReplacements lets replacements take their turns, together with all other waiting pods. Pods that have a
// place in the end become ready. It reports whether anything has changed.
func (d *draining) playReplacements() (changed bool, err error) {
	l := &queuing{Scenario: d.Scenario, rest: d.line(d.nextInLine())}
	l.onEvict = func(p *outrank.Pod) {
		d.countGone(p)
		d.rememberPlace(p.Key(), location{node: p.NodeName, ready: p.Ready})
		d.queue = append(d.queue, p.Key())
	}

	// Pending describes the last round only, because a pod without a place before may have found one now.
	var placed []outrank.Key
	d.out.Pending = d.out.Pending[:0]
	goesOn := func(*queue.Entry) bool { return d.enough == nil || !d.enough() }
	err = l.play(goesOn, func(t Turn, m motion) {
		d.turns++
		changed = changed || len(t.Victims) > 0
		placed = append(placed, d.record(&t, m)...)
	})
	if err != nil {
		return false, err
	}
	if d.turnsLeft != nil {
		*d.turnsLeft -= l.done
	}

	started, err := d.start(placed)
	if err != nil {
		return false, err
	}
	return changed || started, d.updateBudgets()
}

// record adds a turn to the drain's victims and, for a replacement without a place, to its pending turns. It
// returns the pods that have a place.
func (d *draining) record(t *Turn, m motion) (placed []outrank.Key) {
	d.out.Victims = append(d.out.Victims, t.Victims...)
	switch {
	case t.Group:
		for _, member := range t.Members {
			if member.Node != "" {
				placed = append(placed, member.Key)
			}
		}
	case t.Places() && !t.Resize:
		placed = append(placed, t.Pod.Key)
	case m.origin != Waiting && m.origin != Ending && m.origin != Resizing:
		d.out.Pending = append(d.out.Pending, *t)
	}
	return placed
}

// start makes pods that have found a place ready, so that they count for their budgets from now on. It reports
// whether there were any.
func (d *draining) start(placed []outrank.Key) (started bool, err error) {
	for _, key := range placed {
		p, ok := d.snap.Pod(key)
		node := d.snap.NodeOf(key)
		if !ok || p.Ready || node == "" {
			continue // another turn has pushed the pod out again
		}

		started = true
		healthy := *p
		healthy.Ready, healthy.NodeName = true, node
		if _, err := d.snap.PutPod(&healthy); err != nil {
			return false, err
		}
		for _, i := range d.budgets.Covering(&healthy) {
			d.spare[i]++
		}
	}
	return started, nil
}

// updateBudgets sets the status of the budgets according to their spare pods.
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

// recordHeld records the pods that may never go, with their budgets.
func (d *draining) recordHeld(rest []*outrank.Pod, node string) {
	for _, p := range rest {
		h := HeldPod{Pod: NameOf(p, node), Budgets: []outrank.Key{}}
		for _, i := range d.budgets.Covering(p) {
			h.Budgets = append(h.Budgets, d.allowed[i].Key())
		}
		d.out.Held = append(d.out.Held, h)
	}
}

// effect returns the effect that the i-th budget had on the drain.
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
