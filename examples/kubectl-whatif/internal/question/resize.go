package question

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// Resize asks for other requests of a pod that runs, in place. The API server refuses what
// changes the pod's QoS class or is more than a limit or a quota allows. Then the node
// decides: what is more than it offers in all is never done; what has no room beside the
// other pods is deferred, and tried again whenever pods leave, the most important first. Until
// then a scheduler counts the larger amounts. Only a scheduler with the feature gate
// InPlacePodVerticalScalingSchedulerPreemption pushes others out for it.
//
// A limit that equals its request goes with it, and others stay. What a node's cpu and memory
// managers make of it is not known. A pod that is recreated has the amounts of before, which
// are those of its template.
type Resize struct {
	Of  string
	Pod outrank.Key
	// Container is its name; empty for a pod with a single one.
	Container string
	// Requests are new amounts of cpu and memory. What they do not name stays as it is.
	Requests resource.List
}

// Resized is a resize with its outcome.
type Resized struct {
	Pod Pod `json:"pod"`
	// Container is set where the pod has several.
	Container string `json:"container,omitempty"`
	// From and To are the requests in question, of the container.
	From    resource.List `json:"from"`
	To      resource.List `json:"to"`
	Outcome ResizeOutcome `json:"outcome"`
	// Short is what the node lacks where it is deferred or never done, and Message is the
	// API server's answer where that refuses it.
	Short   resource.List `json:"short,omitempty"`
	Message string        `json:"message,omitempty"`
}

// ResizeOutcome is the outcome of a resize.
type ResizeOutcome string

// The outcomes.
const (
	// Done: the pod has the new amounts.
	Done ResizeOutcome = "done"
	// Deferred: its node has no room for them beside the other pods.
	Deferred ResizeOutcome = "deferred"
	// NeverDone: they are more than its node offers, or the pod is static.
	NeverDone ResizeOutcome = "infeasible"
	// Refused: a quota does not allow them.
	Refused ResizeOutcome = "refused"
	// Moot: the pod has left its node.
	Moot ResizeOutcome = "moot"
)

// pendingResize is a resize on its way.
type pendingResize struct {
	Resized
	// at is the place of the container among those of its kind, and init that kind.
	index int
	init  bool
	// before has the container as its template has it.
	before outrank.Container
}

// String names the change.
func (c *Resize) String() string { return c.Of }

func (c *Resize) apply(s *Scenario) error {
	p, err := s.resizable(c)
	if err != nil {
		return err
	}
	r := pendingResize{Resized: Resized{Pod: podOf(p, s.snap.NodeOf(p.Key())), Container: c.Container, From: resource.List{}, To: c.Requests.Clone()}}
	if r.index, r.init, err = c.container(p); err != nil {
		return err
	}
	for name := range c.Requests {
		if name != resource.CPU && name != resource.Memory {
			return fmt.Errorf("%w: %s: %s is not resized in place, only cpu and memory are", outrank.ErrInvalid, c, name)
		}
		if p.Resources != nil && !p.Resources.Requests[name].IsZero() {
			return fmt.Errorf("%w: %s: pod %s requests %s as a whole, beside which the container's does not count", outrank.ErrInvalid, c, p.Key(), name)
		}
	}
	asked, err := r.asked(c, p, s.snap.Release())
	if err != nil {
		return err
	}
	for name := range r.To {
		r.From[name] = r.before.Requests[name]
	}
	f, err := s.books.Resize(p, asked)
	if err != nil {
		return err
	}
	if f != nil {
		r.Outcome, r.Message = Refused, f.Message
		s.resizes = append(s.resizes, r)
		return nil
	}
	r.Outcome = Deferred
	if r.Short = beyond(asked, nodeOf(s.snap, r.Pod.Node).Allocatable, nil); len(r.Short) > 0 || p.Static || p.Mirror {
		r.Outcome, asked.ResizeDeferred, asked.ResizeInfeasible = NeverDone, false, true
	}
	s.moved[p.Key()] = motion{origin: Resizing, from: r.Pod.Node}
	s.resizes = append(s.resizes, r)
	_, err = s.snap.PutPod(asked)
	return err
}

// resizable finds the pod of a resize, and claims its container.
func (s *Scenario) resizable(c *Resize) (*outrank.Pod, error) {
	if len(c.Requests) == 0 {
		return nil, fmt.Errorf("%w: %s: no amount is named", outrank.ErrInvalid, c)
	}
	if _, another := s.owner["pod "+string(c.Pod)].(*Resize); !another {
		if err := s.claim(c, "pod", string(c.Pod)); err != nil {
			return nil, err
		}
	}
	if err := s.claim(c, "container", string(c.Pod)+"/"+c.Container); err != nil {
		return nil, err
	}
	if m, moved := s.moved[c.Pod]; moved && m.origin != Resizing {
		return nil, contradicts(c, "resizes", c.Pod, m)
	}
	p, ok := s.snap.Pod(c.Pod)
	switch {
	case !ok:
		return nil, fmt.Errorf("pod %s: %w", c.Pod, preemption.ErrNotFound)
	case s.snap.NodeOf(c.Pod) == "":
		return nil, fmt.Errorf("%w: %s: pod %s waits for a node, and only a pod on one is resized in place", outrank.ErrInvalid, c, c.Pod)
	case nodeOf(s.snap, s.snap.NodeOf(c.Pod)) == nil:
		return nil, fmt.Errorf("%w: %s: pod %s is on node %s, which the cluster does not have", outrank.ErrInvalid, c, c.Pod, s.snap.NodeOf(c.Pod))
	case p.Terminating():
		return nil, fmt.Errorf("%w: %s: pod %s is being deleted", outrank.ErrInvalid, c, c.Pod)
	case (p.ResizeDeferred || p.ResizeInfeasible) && !s.resizingPod(c.Pod):
		return nil, fmt.Errorf("%w: %s: pod %s waits for another resize", outrank.ErrInvalid, c, c.Pod)
	}
	return p, nil
}

// resizingPod reports whether a change resizes the pod.
func (s *Scenario) resizingPod(key outrank.Key) bool {
	return slices.ContainsFunc(s.resizes, func(r pendingResize) bool { return r.Pod.Key == key })
}

// container finds the container of a resize: one that keeps running.
func (c *Resize) container(p *outrank.Pod) (at int, init bool, err error) {
	if c.Container == "" && len(p.Containers) == 1 && !slices.ContainsFunc(p.InitContainers, sidecar) {
		return 0, false, nil
	}
	var known []string
	for i := range p.Containers {
		if p.Containers[i].Name == c.Container {
			return i, false, nil
		}
		known = append(known, p.Containers[i].Name)
	}
	for i := range p.InitContainers {
		if !sidecar(p.InitContainers[i]) {
			continue
		}
		if p.InitContainers[i].Name == c.Container {
			return i, true, nil
		}
		known = append(known, p.InitContainers[i].Name)
	}
	if c.Container == "" {
		return 0, false, fmt.Errorf("%w: %s: pod %s has several containers, of which one has to be named: %s", outrank.ErrInvalid, c, p.Key(), names(known, len(known)))
	}
	return 0, false, fmt.Errorf("%w: %s: pod %s has no container %s that can be resized; it has %s", outrank.ErrInvalid, c, p.Key(), c.Container, names(known, len(known)))
}

func sidecar(c outrank.Container) bool { return c.Sidecar }

// asked is the pod with what the resize asks for, before the node has decided. Its status says
// what was in force before.
func (r *pendingResize) asked(c *Resize, p *outrank.Pod, release outrank.Release) (*outrank.Pod, error) {
	q := *p
	q.NodeName, q.ResizeDeferred = r.Pod.Node, true
	list := r.containers(&q)
	r.before = (*list)[r.index]
	q.Containers, q.InitContainers = reported(q.Containers), reported(q.InitContainers)
	list = r.containers(&q)
	one := &(*list)[r.index]
	one.Requests, one.Limits = cloned(one.Requests), cloned(one.Limits)
	for name, amount := range r.To {
		limit, limited := one.Limits[name]
		if limited && limit.Cmp(one.Requests[name]) == 0 {
			one.Limits[name], limit = amount, amount
		}
		if limited && limit.Cmp(amount) < 0 {
			return nil, fmt.Errorf("%w: %s: pod %s: container %s asks for %s, above its limit of %s", outrank.ErrInvalid, c, p.Key(), one.Name, amountText(name, amount), amountText(name, limit))
		}
		one.Requests[name] = amount
	}
	if was, is := qos.Compute(release, p), qos.Compute(release, &q); was != is {
		return nil, fmt.Errorf("%w: %s: pod %s would become %s, and is %s: no resize changes the QoS class", outrank.ErrInvalid, c, p.Key(), is, was)
	}
	return &q, nil
}

// containers makes the list of containers that the resize is about the pod's own.
func (r *pendingResize) containers(p *outrank.Pod) *[]outrank.Container {
	list := &p.Containers
	if r.init {
		list = &p.InitContainers
	}
	*list = slices.Clone(*list)
	return list
}

func cloned(l resource.List) resource.List {
	if l == nil {
		return resource.List{}
	}
	return l.Clone()
}

// resize has every node try its deferred resizes again, those of important pods first.
func (s *Scenario) retryResizes() error {
	var order []int
	for i := range s.resizes {
		if s.resizes[i].Outcome == Deferred || s.resizes[i].Outcome == NeverDone {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.resizes[b].Pod.Priority, s.resizes[a].Pod.Priority) })
	for _, i := range order {
		if err := s.actuateResize(&s.resizes[i]); err != nil {
			return err
		}
	}
	return nil
}

// actuate carries out a resize where there is room.
func (s *Scenario) actuateResize(r *pendingResize) error {
	p, ok := s.snap.Pod(r.Pod.Key)
	if !ok || s.snap.NodeOf(r.Pod.Key) != r.Pod.Node {
		r.Outcome, r.Short = Moot, nil
		return nil
	}
	if r.Outcome == NeverDone {
		return nil
	}
	taken := resource.List{}
	for _, other := range s.snap.PodsOn(r.Pod.Node) {
		if other.Key() != p.Key() {
			taken = taken.Plus(inForce(other, s.snap.Release()))
		}
	}
	if r.Short = beyond(p, nodeOf(s.snap, r.Pod.Node).Allocatable, taken); len(r.Short) > 0 {
		return nil
	}
	now := *p
	now.NodeName, now.ResizeDeferred = r.Pod.Node, false
	list := r.containers(&now)
	one := &(*list)[r.index]
	one.AllocatedResources, one.Actual, one.Reported = one.Requests.Clone(), one.Requests.Clone(), false
	r.Outcome = Done
	if _, err := s.books.Resize(p, &now); err != nil {
		return err
	}
	_, err := s.snap.PutPod(&now)
	return err
}

// reported are containers with a status: where there is none, what they ask for is in force.
func reported(containers []outrank.Container) []outrank.Container {
	out := slices.Clone(containers)
	for i := range out {
		c := &out[i]
		if c.AllocatedResources == nil {
			c.AllocatedResources = cloned(c.Requests)
		}
		if c.Actual == nil && !c.Reported {
			c.Actual = cloned(c.Requests)
		}
	}
	return out
}

// inForce is what a kubelet counts for a pod on its node: a resize that waits does not count.
func inForce(p *outrank.Pod, release outrank.Release) resource.List {
	if p.ResizeDeferred {
		q := *p
		q.ResizeDeferred, q.ResizeInfeasible = false, true
		q.Containers, q.InitContainers = reported(p.Containers), reported(p.InitContainers)
		p = &q
	}
	return p.RunningRequests(release)
}

// beyond is how much cpu and memory a pod asks for above what is left of the node's.
func beyond(p *outrank.Pod, offered, taken resource.List) resource.List {
	var short resource.List
	asked := p.Requests()
	for _, name := range []resource.Name{resource.CPU, resource.Memory} {
		if want := asked[name]; want.IsZero() {
			continue
		} else if over := taken[name].Add(want).Sub(offered[name]); over.Sign() > 0 {
			if short == nil {
				short = resource.List{}
			}
			short[name] = over
		}
	}
	return short
}

// nodeOf is a node of the snapshot; nil where it has none of the name.
func nodeOf(snap *engine.Snapshot, name string) *outrank.Node {
	n, _ := snap.Node(name)
	return n
}

// templated is a pod that left with the amounts of its template, as its controller recreates it.
func (s *Scenario) templated(p *outrank.Pod) *outrank.Pod {
	q := p
	for i := range s.resizes {
		r := &s.resizes[i]
		if r.Pod.Key != p.Key() || r.Outcome == Refused {
			continue
		}
		if q == p {
			c := *p
			q = &c
		}
		list := r.containers(q)
		(*list)[r.index] = r.before
	}
	return q
}

// Resizes are the resizes so far, in the order of the changes.
func (s *Scenario) Resizes() []Resized {
	out := make([]Resized, len(s.resizes))
	for i := range s.resizes {
		out[i] = s.resizes[i].Resized
	}
	return out
}

// contradicts is the error about a change of a pod that another change has decided about.
func contradicts(c Change, does string, key outrank.Key, m motion) error {
	if m.origin == New {
		return fmt.Errorf("%w: %s %s pod %s, which another change creates", ErrContradiction, c, does, key)
	}
	return fmt.Errorf("%w: %s %s pod %s, which node %s took with it", ErrContradiction, c, does, key, m.from)
}

func amountText(name resource.Name, q resource.Quantity) string {
	return string(name) + " " + amount.Text(name, q)
}
