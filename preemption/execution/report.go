package execution

import (
	"errors"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
)

// Ending is how carrying out a plan ended.
type Ending uint8

// The endings.
const (
	// Interrupted: something failed or the context ended. The preemptor can be
	// tried again; what was done stands in the report.
	Interrupted Ending = iota
	// CarriedOut: the victims are on their way out, and the preemptor is
	// nominated.
	CarriedOut
	// PreemptorGone: the preemptor is not there any more, is being deleted, or
	// has made way for another pod of its name. Nothing more was done.
	PreemptorGone
	// PreemptorBound: it runs on a node by now. Nothing was done.
	PreemptorBound
)

// String gives the ending in a few words.
func (e Ending) String() string {
	switch e {
	case Interrupted:
		return "interrupted"
	case CarriedOut:
		return "carried out"
	case PreemptorGone:
		return "the preemptor is gone"
	case PreemptorBound:
		return "the preemptor runs already"
	}
	return fmt.Sprintf("Ending(%d)", uint8(e))
}

// Deed is what was done about one victim.
type Deed uint8

// The deeds.
const (
	// Skipped: nothing, as an earlier step failed.
	Skipped Deed = iota
	// Evicted: it was told to go.
	Evicted
	// Rejected: it was waiting to be bound, and will not be.
	Rejected
	// WasTerminating: it was on its way out when the plan was made.
	WasTerminating
	// WasEvicted: this executor had told it to go before, or just then in
	// another call.
	WasEvicted
	// WasGone: it was not found, which is as good.
	WasGone
	// Failed: it was tried, and did not work.
	Failed
)

// Done reports whether nothing is left to do about the victim.
func (d Deed) Done() bool { return d != Skipped && d != Failed }

// String gives the deed in a few words.
func (d Deed) String() string {
	switch d {
	case Skipped:
		return "skipped"
	case Evicted:
		return "evicted"
	case Rejected:
		return "rejected while waiting"
	case WasTerminating:
		return "terminating already"
	case WasEvicted:
		return "evicted before"
	case WasGone:
		return "gone already"
	case Failed:
		return "failed"
	}
	return fmt.Sprintf("Deed(%d)", uint8(d))
}

// Report is what became of a plan. It belongs to the caller.
type Report struct {
	Ending Ending
	// Preemptor is the pod as it was fetched before anything was done, or the
	// plan's where that failed; Node is the plan's.
	Preemptor *outrank.Pod
	Node      string
	// Victims are those of the plan in its order, each once.
	Victims []VictimReport
	// Cleared are the pods that were to lose their nomination to the node, by
	// importance. A failure here ends nothing.
	Cleared []ClearReport
	// Nominated says whether the preemptor was nominated to the node. After a
	// failure of [Asynchronous] it may be while not all victims were reached.
	Nominated bool
}

// VictimReport is what was done about one victim.
type VictimReport struct {
	Pod  *outrank.Pod
	Deed Deed
	// Err is why it failed, or was skipped while another call had it; else nil.
	Err error
}

// ClearReport is a nomination that was to be cleared.
type ClearReport struct {
	Pod     *outrank.Pod
	Cleared bool
	// Err is why it was not, nil where that was not reached.
	Err error
}

// Done lists the victims about whom nothing is left to do, Left the others.
func (r *Report) Done() []*outrank.Pod { return r.victims(true) }

// Left lists the victims that failed or were skipped.
func (r *Report) Left() []*outrank.Pod { return r.victims(false) }

func (r *Report) victims(done bool) []*outrank.Pod {
	var pods []*outrank.Pod
	for _, v := range r.Victims {
		if v.Deed.Done() == done {
			pods = append(pods, v.Pod)
		}
	}
	return pods
}

// String tells the whole story in one line.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s", keyOfPod(r.Preemptor), r.Node, r.Ending)
	for _, v := range r.Victims {
		fmt.Fprintf(&b, "; %s %s", v.Pod.Key(), v.Deed)
	}
	for _, c := range r.Cleared {
		if c.Cleared {
			fmt.Fprintf(&b, "; %s not nominated any more", c.Pod.Key())
		}
	}
	if r.Nominated {
		b.WriteString("; nominated")
	}
	return b.String()
}

// failure is the error for an interrupted plan: what went wrong with each
// victim, and why else.
func (r *Report) failure(why error) error {
	errs := []error{}
	for _, v := range r.Victims {
		if v.Err != nil {
			errs = append(errs, fmt.Errorf("victim %s: %w", v.Pod.Key(), v.Err))
		}
	}
	if why != nil {
		errs = append(errs, why)
	}
	return fmt.Errorf("pod %s: preempting on node %s: %d of %d victims done: %w",
		keyOfPod(r.Preemptor), r.Node, len(r.Done()), len(r.Victims), errors.Join(errs...))
}
