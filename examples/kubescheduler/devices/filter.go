package devices

import (
	"errors"
	"fmt"
	"regexp"
	"sync/atomic"
	"time"

	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Name is the name of kube-scheduler's plugin for claims, and of this filter in statuses.
const Name = "DynamicResources"

// Config says how to decide. The zero value means v1.37 with its default feature gates.
type Config struct {
	// Release says which rules hold; zero means those of v1.37.
	Release outrank.Release
	// DRAPreemption decides as KEP-5690 proposes: the claims of victims come free with their last consumer. It
	// has the name of the gate that the KEP plans. Without it nobody is evicted for devices, as in every release.
	DRAPreemption bool
	// Now is the time of the decision, for claims whose devices are bound late. With the zero value none of them
	// has waited too long.
	Now time.Time
}

// bindingTimeout is how long a device may take until it is bound.
const bindingTimeout = 10 * time.Minute

// Filter decides about the claims of pods. Any number of goroutines may use it at once.
type Filter struct {
	config Config
	x      atomic.Pointer[index]
}

// New makes a filter. It returns the error of [Objects.Validate] for objects that cannot be told apart. Time and
// memory are linear in the objects.
func New(o Objects, c Config) (*Filter, error) {
	if c.Release == 0 {
		c.Release = outrank.V1_37
	}
	f := &Filter{config: c}
	if err := f.Set(o); err != nil {
		return nil, err
	}
	return f, nil
}

// Set replaces the objects. A filter that [Filter.Filter] has returned before keeps the objects that it has. The
// error is that of [New], and leaves the filter as it was.
func (f *Filter) Set(o Objects) error {
	if err := o.Validate(); err != nil {
		return err
	}
	x, err := newIndex(&o, f.config.Release)
	if err != nil {
		return err
	}
	x.config = &f.config
	x.filter = preemption.Filter{Name: Name, Concerns: x.concerns, Start: x.startFilter}
	f.x.Store(x)
	return nil
}

// Filter returns the filter for an evaluator. It returns the same one until [Filter.Set] replaces the objects,
// and then another one: a snapshot remembers which pods concern a filter, and with other objects these are other
// pods.
func (f *Filter) Filter() *preemption.Filter { return &f.x.Load().filter }

// concerns reports whether a pod that comes or goes may change the answers. With DRAPreemption these are pods for
// which claims are reserved and pods with a nomination; otherwise no pod does.
func (x *index) concerns(p *outrank.Pod) bool {
	if !x.config.DRAPreemption {
		return false
	}
	if x.nominations[nameOf(p)] != nil {
		return true
	}
	for _, k := range x.consumed[nameOf(p)] {
		if k.isFor(p) {
			return true
		}
	}
	return false
}

// startFilter begins an attempt of an evaluator.
func (x *index) startFilter(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	a, err := x.start(pod, view)
	switch {
	case err != nil || a == nil:
		return nil, err // an attempt that is nil would make an interface that is not
	case a.refusal != "":
		return preemption.Refuse(unresolvable(a.refusal)), nil
	}
	return a, nil
}

// start begins an attempt for a pod. It returns nil for a pod without claims. The error is about claims for which
// kube-scheduler ends the attempt with an error, too, or about a pod whose name another pod has.
func (x *index) start(pod *outrank.Pod, view preemption.View) (*attempt, error) {
	// A pod that waits for a resize has its devices.
	object, err := x.podOf(pod)
	if err != nil || object == nil || pod.ResizeDeferred && pod.NodeName != "" {
		return nil, err
	}

	a := &attempt{x: x, config: x.config, asker: pod}
	if refusal := a.lookUp(object); refusal != "" {
		a.refusal = refusal
		return a, nil
	}
	if a.extended = x.extendedOf(object); a.extended != nil {
		a.claims = append(a.claims, a.extended.claim)
	}
	if len(a.claims) == 0 {
		return nil, nil
	}
	if err := a.prepare(); err != nil {
		return nil, err
	}

	nodes := 0
	for range view.Nodes() {
		nodes++
	}
	a.steps, a.passes = newBudget(nodes), &passes{}
	return a, nil
}

func unresolvable(reason string) preemption.Status {
	return preemption.UnschedulableAndUnresolvable.Because(reason)
}

// Check says whether the node has the devices. A shortage of devices is reported before an allocated claim that
// cannot be used there.
func (a *attempt) Check(n *outrank.Node) preemption.Status {
	claims, request, reason := a.toAllocate(n)
	if reason != "" {
		return unresolvable(reason)
	}
	if a.extended != nil && len(a.claims) == 1 && claims == nil {
		return preemption.Status{} // the node offers the resource itself
	}

	v := a.x.viewOf(n)
	unavailable := a.unavailable(v)
	if len(claims) > 0 {
		ok, err := a.find(n, v, claims, request)
		switch {
		case errors.Is(err, structured.ErrFailedAllocationOnNode):
			return a.short(v, err.Error())
		case err != nil:
			return preemption.Contradiction.Because(fmt.Sprintf("running %q filter plugin: %s", Name, told(err)))
		case !ok:
			return a.short(v, cannotAllocate)
		}
	}
	if unavailable {
		return unresolvable(notAvailable)
	}
	return preemption.Status{}
}

// addresses matches addresses of memory. The allocator's errors about unreadable node selectors have them.
var addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

const notAvailable = "resourceclaim not available on the node"

// short returns the status of a node without enough free devices. With DRAPreemption pods that leave may help,
// except for a pod of a group.
func (a *attempt) short(v *view, reason string) preemption.Status {
	switch {
	case !a.config.DRAPreemption:
		if reason == cannotAllocate {
			return shortOf
		}
		return unresolvable(reason)
	case a.asker.Group != "":
		s := unresolvable(reason)
		s.Reasons = append(s.Reasons, "KEP-5690 leaves out preemption for devices by pods of groups")
		return s
	case reason == cannotAllocate && len(a.gone) == 0 && len(a.grouped) == 0:
		return mayHelp
	}
	return preemption.Status{Code: preemption.Unschedulable, Reasons: append([]string{reason}, a.leftOut(v)...)}
}

const cannotAllocate = "cannot allocate all claims"

// The statuses of most nodes are made once.
var (
	shortOf = unresolvable(cannotAllocate)
	mayHelp = preemption.Status{Code: preemption.Unschedulable, Reasons: shortOf.Reasons}
)
