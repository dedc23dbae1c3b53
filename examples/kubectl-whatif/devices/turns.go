package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
)

// turn says what becomes of a waiting pod by one way to decide.
type turn struct {
	Outcome string        `json:"outcome"`
	Node    string        `json:"node,omitempty"`
	Victims []outrank.Key `json:"victims"`
	Frees   []outrank.Key `json:"frees"`
	Devices []given       `json:"devices"`
	Reason  string        `json:"reason,omitempty"`
	// ended says that the search for devices was cut short on some node.
	ended bool
	// failed is the error in which the attempt ends or may end; nil for none.
	failed *failed
}

// The outcomes of a turn.
const (
	placed    = "placed"
	pushesOut = "pushes-out"
	waits     = "waits"
)

// pair is a waiting pod with its turns in both ways.
type pair struct {
	Pod      outrank.Key `json:"pod"`
	Priority int32       `json:"priority"`
	Claims   []string    `json:"claims"`
	Release  turn        `json:"release"`
	Proposed turn        `json:"proposed"`
}

// line lists the waiting pods, the highest priority first, and pods of equal priority in the order of the dump.
func (d *dump) line() []*outrank.Pod {
	var out []*outrank.Pod
	for _, p := range d.cluster.Pods {
		if p.NodeName == "" && !p.Terminating() && !p.Gated() {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b *outrank.Pod) int { return cmp.Compare(b.PriorityValue(), a.PriorityValue()) })
	return out
}

// playBoth lets all waiting pods take their turns in both ways, each turn to its end: pods that are pushed out
// are gone, with the claims that no other pod uses, and the pod has its place and its devices.
func playBoth(d *dump, now time.Time, workers int) ([]pair, error) {
	out := []pair{}
	for _, p := range d.line() {
		out = append(out, pair{Pod: p.Key(), Priority: p.PriorityValue(), Claims: append([]string{}, p.ResourceClaims...)})
	}

	for _, proposed := range []bool{false, true} {
		s, err := newStage(d, now, workers, proposed)
		if err != nil {
			return nil, console.Unusable(d.source, err)
		}
		for i, p := range d.line() {
			t, err := s.take(p)
			if err != nil {
				return nil, err
			}
			if proposed {
				out[i].Proposed = t
			} else {
				out[i].Release = t
			}
		}
	}
	return out, nil
}

// stage is a cluster in which pods take turns.
type stage struct {
	*rules
	// allocator finds the devices of a pod for either way to decide. It uses the rules of the proposal, because
	// only they know the devices that victims release. It shares the snapshot of the rules.
	allocator *rules
	// d has its own copy of the claims, which the turns change.
	d *dump
}

// newStage makes a stage from a dump. The dump itself does not change.
func newStage(d *dump, now time.Time, workers int, proposed bool) (*stage, error) {
	own := &dump{source: d.source, cluster: d.cluster, objects: d.objects}
	own.objects.Claims = slices.Clone(d.objects.Claims)
	r, err := newRules(own, now, workers, proposed)
	if err != nil {
		return nil, err
	}

	s := &stage{r, r, own}
	if !proposed {
		if s.allocator, err = newRules(own, now, workers, true); err != nil {
			return nil, err
		}
		s.allocator.snap = r.snap
	}
	return s, nil
}

// take lets a pod take its turn: it decides, carries out the decision, and returns what happened.
func (s *stage) take(p *outrank.Pod) (turn, error) {
	t := turn{Outcome: waits, Victims: []outrank.Key{}, Frees: []outrank.Key{}, Devices: []given{}}
	plan, err := s.eval.Preempt(context.Background(), s.snap, preemption.Request{Pod: p, Now: s.now})

	// An error about input concerns the claims of this pod, which therefore waits. The other pods still take
	// their turns.
	var in *outrank.InputError
	switch {
	case errors.As(err, &in):
		t.Reason = in.Problems[0].String()
		return t, nil
	case err != nil:
		return t, fmt.Errorf("pod %s: %w", p.Key(), err)
	}

	t.ended = slices.ContainsFunc(slices.Concat(plan.TurnedDown, plan.Unhelpful), func(c preemption.Count) bool {
		return slices.ContainsFunc(c.Reasons, devices.Ended)
	})

	if t.failed, err = s.failure(p, plan); err != nil {
		return t, fmt.Errorf("pod %s: %w", p.Key(), err)
	}
	if t.failed != nil && t.failed.Certain {
		t.Reason = t.failed.text(plan.Feasible)
		return t, nil
	}

	switch plan.Outcome {
	case preemption.Fits:
		t.Outcome = placed
		t.Node, err = s.firstNode(p)
	case preemption.Preempts:
		t.Outcome, t.Node = pushesOut, plan.Node
	case preemption.NotEligible:
		t.Reason = plan.Ineligible.Message()
		return t, nil
	default:
		t.Reason = mostFrequent(plan)
		return t, nil
	}

	if err != nil {
		return t, fmt.Errorf("pod %s: %w", p.Key(), err)
	}

	err = s.carryOut(p, plan, &t)
	return t, err
}

// carryOut makes the victims of a plan leave and the pod start on the node of its turn, and records that in the
// turn. The devices are found before the victims leave, because the allocator is asked about a plan.
func (s *stage) carryOut(p *outrank.Pod, plan *preemption.Plan, t *turn) error {
	var claims []*resourcev1.ResourceClaim
	if n := s.allocator.devicesFor(p, t.Node, plan.Victims); n != nil {
		claims = n.Claims
		t.Devices = givenBy(claims)
	}

	for i := range plan.Victims {
		v := plan.Victims[i].Pod
		t.Victims = append(t.Victims, v.Key())
		t.Frees = append(t.Frees, s.release(v)...)
		if err := s.snap.RemovePod(v.Key()); err != nil {
			return err
		}
	}

	if err := s.snap.Bind(p.Key(), t.Node); err != nil {
		return err
	}
	s.reserve(p, claims)
	return s.renew()
}

// firstNode returns the first node, in the order of the cluster, that takes a pod.
func (s *stage) firstNode(p *outrank.Pod) (string, error) {
	e, err := s.eval.Explain(context.Background(), s.snap, preemption.Request{Pod: p, Now: s.now})
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(e.Nodes, func(n preemption.NodeReport) bool { return n.Status.Code == preemption.Success })
	if at < 0 {
		return "", errors.New("no node takes it after all")
	}
	return e.Nodes[at].Node, nil
}

// mostFrequent returns the most frequent reason of the nodes that do not take a pod. If evictions were tried,
// it is the reason that remains after them.
func mostFrequent(plan *preemption.Plan) string {
	if plan.Refused.Code != preemption.Success {
		return reasonsOf(plan.Refused.Reasons)
	}

	counts := plan.Unhelpful
	if len(counts) == 0 {
		counts = plan.TurnedDown
	}
	if len(counts) == 0 {
		return said(plan.Outcome)
	}
	return fmt.Sprintf("%s: %s", console.Plural(counts[0].Nodes, "node"), reasonsOf(counts[0].Reasons))
}

// release removes a pod from the consumers of its claims. A claim without consumers releases its devices. It
// returns the claims that were freed.
func (s *stage) release(p *outrank.Pod) (free []outrank.Key) {
	s.d.objects.Claims = slices.Clone(s.d.objects.Claims)
	for i, c := range s.d.objects.Claims {
		is := func(r resourcev1.ResourceClaimConsumerReference) bool {
			return r.APIGroup == "" && r.Resource == "pods" && r.Name == p.Name && c.Namespace == namespaceOf(p, c) && (p.UID == "" || r.UID == "" || string(r.UID) == p.UID)
		}
		if !slices.ContainsFunc(c.Status.ReservedFor, is) {
			continue
		}

		// Claims are shared with the other way to decide and with the dump, so that they are copied before a
		// change.
		c = c.DeepCopy()
		c.Status.ReservedFor = slices.DeleteFunc(c.Status.ReservedFor, is)
		if len(c.Status.ReservedFor) == 0 && c.Status.Allocation != nil {
			c.Status.Allocation = nil
			free = append(free, claimKey(c))
		}
		s.d.objects.Claims[i] = c
	}
	return free
}

// namespaceOf returns the namespace of a pod in the form in which a claim writes it, which may leave out the
// default.
func namespaceOf(p *outrank.Pod, c *resourcev1.ResourceClaim) string {
	if c.Namespace == "" && p.NamespaceName() == outrank.DefaultNamespace {
		return ""
	}
	return p.NamespaceName()
}

// reserve records the allocations of a pod's claims, and reserves all of its claims for the pod.
func (s *stage) reserve(p *outrank.Pod, allocated []*resourcev1.ResourceClaim) {
	object := s.d.podOf(p.Key())
	if object == nil {
		return
	}

	keys := claimsOf(object)
	for _, c := range allocated {
		// A claim that the cluster lacks was made for extended resources.
		if s.d.claim(claimKey(c)) == nil {
			c = c.DeepCopy()
			c.Name = "extended resources of " + p.Name
			c.UID = types.UID("claim " + string(claimKey(c)))
			s.d.objects.Claims = append(s.d.objects.Claims, c)
			keys = append(keys, claimKey(c))
		}
	}

	for i, c := range s.d.objects.Claims {
		if !slices.Contains(keys, claimKey(c)) {
			continue
		}
		c = c.DeepCopy()
		for _, a := range allocated {
			if claimKey(a) == claimKey(c) {
				c.Status.Allocation = a.Status.Allocation
			}
		}

		reserved := resourcev1.ResourceClaimConsumerReference{Resource: string(corev1.ResourcePods), Name: p.Name, UID: types.UID(p.UID)}
		// A shared claim may have other consumers already.
		if !slices.Contains(c.Status.ReservedFor, reserved) {
			c.Status.ReservedFor = append(c.Status.ReservedFor, reserved)
		}
		s.d.objects.Claims[i] = c
	}
}

// renew passes the present claims to the filters.
func (s *stage) renew() error {
	if err := s.set(s.d.objects); err != nil || s.allocator == s.rules {
		return err
	}
	return s.allocator.set(s.d.objects)
}
