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

// Resize gives a running pod other requests in place. The API server refuses a resize that changes the pod's
// QoS class, or asks for more than a limit or a quota allows. Then the node decides. A resize to more than the
// node offers in total is never done. A resize that has no room beside the other pods is deferred, and tried
// again whenever pods leave, the most important pod first. Until then a scheduler counts the larger amounts.
// Only a scheduler with the feature gate InPlacePodVerticalScalingSchedulerPreemption pushes others out for it.
//
// A limit that equals its request is changed with it; other limits stay. The node's cpu and memory managers are
// ignored. A pod that is recreated has the amounts of its template again.
type Resize struct {
	Of  string
	Pod outrank.Key
	// Container names the container. It may be empty for a pod with a single one.
	Container string
	// Requests has the new amounts of cpu and memory. A resource that it does not name keeps its amount.
	Requests resource.List
}

// Resized is a resize with its outcome.
type Resized struct {
	Pod Pod `json:"pod"`
	// Container names the container if the change names it.
	Container string `json:"container,omitempty"`
	// From and To are the container's requests before and after, for the resources that the resize names.
	From    resource.List `json:"from"`
	To      resource.List `json:"to"`
	Outcome ResizeOutcome `json:"outcome"`
	// Short has the amounts that the node lacks, for a resize that is deferred or never done. Message is the
	// API server's answer to a resize that it refuses.
	Short   resource.List `json:"short,omitempty"`
	Message string        `json:"message,omitempty"`
}

// ResizeOutcome is the outcome of a resize.
type ResizeOutcome string

// The outcomes.
const (
	// Done means that the pod has the new amounts.
	Done ResizeOutcome = "done"
	// Deferred means that the node has no room for the new amounts beside the other pods.
	Deferred ResizeOutcome = "deferred"
	// NeverDone means that the new amounts are more than the node offers, or that the pod is static.
	NeverDone ResizeOutcome = "infeasible"
	// Refused means that a quota does not allow the new amounts.
	Refused ResizeOutcome = "refused"
	// Moot means that the pod has left its node.
	Moot ResizeOutcome = "moot"
)

// pendingResize is a resize with its outcome so far and its container.
type pendingResize struct {
	Resized
	// index is the index of the container among the containers, or among the init containers if init is set.
	index int
	init  bool
	// before is the container as the pod's template has it.
	before outrank.Container
}

// String names the change.
func (c *Resize) String() string { return c.Of }

// apply records the resize as deferred, unless the API server refuses it or the node can never do it.
// Scenario.Apply carries it out if there is room.
func (c *Resize) apply(s *Scenario) error {
	p, err := s.resizable(c)
	if err != nil {
		return err
	}
	r := pendingResize{Resized: Resized{Pod: NameOf(p, s.snap.NodeOf(p.Key())), Container: c.Container, From: resource.List{}, To: c.Requests.Clone()}}
	if r.index, r.init, err = c.container(p); err != nil {
		return err
	}
	if err := c.checkAmounts(p); err != nil {
		return err
	}

	asked, err := r.asked(c, p, s.snap.Release())
	if err != nil {
		return err
	}
	for name := range r.To {
		r.From[name] = r.before.Requests[name]
	}

	// Quotas count the amounts that are asked for, whether or not the node grants them.
	f, err := s.books.Resize(p, asked)
	if err != nil {
		return err
	}
	if f != nil {
		r.Outcome, r.Message = Refused, f.Message
		s.resizes = append(s.resizes, r)
		return nil
	}

	// A resize to more than an empty node offers is hopeless, and does not wait for pods to leave.
	r.Outcome = Deferred
	if r.Short = beyond(asked, nodeOf(s.snap, r.Pod.Node).Allocatable, nil); len(r.Short) > 0 || p.Static || p.Mirror {
		r.Outcome = NeverDone
		asked.ResizeDeferred = false
		asked.ResizeInfeasible = true
	}
	s.moved[p.Key()] = motion{origin: Resizing, from: r.Pod.Node}
	s.resizes = append(s.resizes, r)
	_, err = s.snap.PutPod(asked)
	return err
}

// checkAmounts refuses resources that cannot be resized in place, and those that the pod requests at pod level.
func (c *Resize) checkAmounts(p *outrank.Pod) error {
	for name := range c.Requests {
		if name != resource.CPU && name != resource.Memory {
			return fmt.Errorf("%w: %s: %s is not resized in place, only cpu and memory are", outrank.ErrInvalid, c, name)
		}
		if p.Resources != nil && !p.Resources.Requests[name].IsZero() {
			return fmt.Errorf("%w: %s: pod %s requests %s as a whole, beside which the container's does not count", outrank.ErrInvalid, c, p.Key(), name)
		}
	}
	return nil
}

// resizable finds the pod of a resize, and claims its container.
func (s *Scenario) resizable(c *Resize) (*outrank.Pod, error) {
	if len(c.Requests) == 0 {
		return nil, fmt.Errorf("%w: %s: no amount is named", outrank.ErrInvalid, c)
	}

	// Several resizes may concern one pod, each of them another container.
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

	// A node tries one resize of a pod at a time. The resizes of the changes count as one.
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

// container finds the container of a resize. The index counts the containers or, with init, the init
// containers. Among the latter only sidecars are resized, because they keep running.
func (c *Resize) container(p *outrank.Pod) (index int, init bool, err error) {
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

// sidecar reports whether an init container keeps running.
func sidecar(c outrank.Container) bool { return c.Sidecar }

// asked returns the pod with the amounts that the resize asks for, before the node has decided. Its status says
// which amounts were in force before.
func (r *pendingResize) asked(c *Resize, p *outrank.Pod, release outrank.Release) (*outrank.Pod, error) {
	q := *p
	q.NodeName, q.ResizeDeferred = r.Pod.Node, true
	list := r.containers(&q)
	r.before = (*list)[r.index]
	q.Containers, q.InitContainers = reported(q.Containers), reported(q.InitContainers)

	// The lists of containers are copies by now. The amounts of this container have to be copied as well.
	list = r.containers(&q)
	one := &(*list)[r.index]
	one.Requests, one.Limits = cloned(one.Requests), cloned(one.Limits)
	for name, amount := range r.To {
		// A limit that equals its request changes with it, so that the QoS class stays.
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

// containers returns the list of containers that has the container of the resize. It first gives the pod a copy
// of the list, which the caller may change.
func (r *pendingResize) containers(p *outrank.Pod) *[]outrank.Container {
	list := &p.Containers
	if r.init {
		list = &p.InitContainers
	}
	*list = slices.Clone(*list)
	return list
}

// cloned returns a copy of a list. It is never nil.
func cloned(l resource.List) resource.List {
	if l == nil {
		return resource.List{}
	}
	return l.Clone()
}

// retryResizes makes every node try its resizes again that are not done, the most important pod first.
func (s *Scenario) retryResizes() error {
	// A resize that is never done may have become moot.
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

// actuateResize carries out a deferred resize if there is room for it. A resize becomes moot once its pod has
// left the node.
func (s *Scenario) actuateResize(r *pendingResize) error {
	p, ok := s.snap.Pod(r.Pod.Key)
	if !ok || s.snap.NodeOf(r.Pod.Key) != r.Pod.Node {
		r.Outcome, r.Short = Moot, nil
		return nil
	}
	if r.Outcome == NeverDone {
		return nil
	}

	// Other deferred resizes do not take up room yet.
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
	one.AllocatedResources, one.Actual = one.Requests.Clone(), one.Requests.Clone()
	one.Reported = false

	r.Outcome = Done
	if _, err := s.books.Resize(p, &now); err != nil {
		return err
	}
	_, err := s.snap.PutPod(&now)
	return err
}

// reported returns copies of the containers, each with a status. A container without one gets the amounts that
// it requests as the amounts in force.
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

// inForce returns the amounts that a kubelet counts for a pod on its node. A deferred resize does not count.
func inForce(p *outrank.Pod, release outrank.Release) resource.List {
	// An infeasible resize does not count, either, so that marking the resize as infeasible leaves it out.
	if p.ResizeDeferred {
		q := *p
		q.ResizeDeferred, q.ResizeInfeasible = false, true
		q.Containers, q.InitContainers = reported(p.Containers), reported(p.InitContainers)
		p = &q
	}
	return p.RunningRequests(release)
}

// beyond returns the cpu and memory that a pod asks for in excess of what the node offers and others have left.
// It is nil if the pod has room.
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

// nodeOf returns a node of the snapshot. It is nil for an unknown name.
func nodeOf(snap *engine.Snapshot, name string) *outrank.Node {
	n, _ := snap.Node(name)
	return n
}

// templated returns a pod that has left with the amounts of its template, as its controller recreates it.
func (s *Scenario) templated(p *outrank.Pod) *outrank.Pod {
	q := p
	for i := range s.resizes {
		r := &s.resizes[i]
		if r.Pod.Key != p.Key() || r.Outcome == Refused {
			continue
		}
		// Only a pod that was resized has to be copied, and only once.
		if q == p {
			c := *p
			q = &c
		}
		list := r.containers(q)
		(*list)[r.index] = r.before
	}
	return q
}

// Resizes returns the resizes so far, in the order of the changes.
func (s *Scenario) Resizes() []Resized {
	out := make([]Resized, len(s.resizes))
	for i := range s.resizes {
		out[i] = s.resizes[i].Resized
	}
	return out
}

// contradicts returns the error about a change of a pod that another change has created or removed.
func contradicts(c Change, does string, key outrank.Key, m motion) error {
	if m.origin == New {
		return fmt.Errorf("%w: %s %s pod %s, which another change creates", ErrContradiction, c, does, key)
	}
	return fmt.Errorf("%w: %s %s pod %s, which node %s took with it", ErrContradiction, c, does, key, m.from)
}

// amountText returns the name of a resource with an amount.
func amountText(name resource.Name, q resource.Quantity) string {
	return string(name) + " " + amount.Text(name, q)
}
