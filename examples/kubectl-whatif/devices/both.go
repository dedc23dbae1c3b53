package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// kep names the proposal. noRelease says what the proposal is.
const (
	kep       = "KEP-5690"
	noRelease = "as KEP-5690 proposes with the gate DRAPreemption, which no release has"
)

// both is the answer about a pod by the release and by the proposal.
type both struct {
	Release  *way `json:"release"`
	Proposed *way `json:"proposed"`
	// Short says, node by node, which devices the pod lacks and who holds them. MoreShort counts the nodes left
	// out.
	Short     []shortage `json:"shortages"`
	MoreShort int        `json:"moreShortages,omitempty"`
	snap      *engine.Snapshot
}

// shortage says which devices a pod lacks on a node.
type shortage struct {
	Node      string   `json:"node"`
	Refused   string   `json:"refused,omitempty"`
	Short     bool     `json:"short"`
	Matching  int      `json:"matching"`
	Untouched int      `json:"untouched"`
	Held      []held   `json:"held"`
	Enough    bool     `json:"enough"`
	Trouble   string   `json:"trouble,omitempty"`
	Lines     []string `json:"-"`
}

// held is a claim that holds devices that the pod could use. Sharing are devices that it could not use, but which
// share counters with one that it could.
type held struct {
	Claim   outrank.Key   `json:"claim"`
	Devices []string      `json:"devices"`
	Sharing []string      `json:"sharing,omitempty"`
	Pods    []outrank.Key `json:"pods"`
	Stays   string        `json:"stays,omitempty"`
}

// question is the question about one pod.
type question struct {
	asking
	pod     *outrank.Pod
	now     time.Time
	workers int
	// node is the node whose devices are explained. If it is empty, the first list nodes that matter are
	// explained.
	node string
	list int
}

// decideBoth decides about the same cluster in both ways.
func decideBoth(d *dump, q question) (*both, error) {
	out := &both{Short: []shortage{}}
	today, err := newRules(d, q.now, q.workers, false)
	if err != nil {
		return nil, console.Unusable(d.source, err)
	}
	then, err := newRules(d, q.now, q.workers, true)
	if err != nil {
		return nil, console.Unusable(d.source, err)
	}

	q.classes = d.cluster.Classes
	if out.Release, err = today.decide(q.pod, q.asking); err != nil {
		return nil, err
	}
	if out.Proposed, err = then.decide(q.pod, q.asking); err != nil {
		return nil, err
	}

	for _, w := range []*way{out.Release, out.Proposed} {
		// Only the rules of the proposal find the devices that victims release.
		w.settle(d, then)
	}

	out.Release.Rules, out.Proposed.Rules = d.cluster.Release.String(), kep
	out.Release.Says, out.Proposed.Says = out.Release.sentence(d, false), out.Proposed.sentence(d, true)
	out.snap = then.snap
	return out, out.explain(then, q)
}

// explain says which devices the pod lacks on the node that is asked about, or else on the nodes that matter.
func (b *both) explain(r *rules, q question) error {
	nodes := []string{q.node}
	if q.node == "" {
		nodes = b.mattering()
	}

	for _, node := range nodes {
		if len(b.Short) == q.list && q.node == "" {
			b.MoreShort = len(nodes) - q.list
			break
		}

		s, err := r.filter.Explain(r.snap, q.pod, node)
		switch {
		case err != nil:
			return console.Unusable("the pod", err)
		case s != nil:
			b.Short = append(b.Short, shortageOf(s))
		}
	}
	return nil
}

// mattering returns the nodes whose devices matter: the chosen ones, then the nodes that lack devices, in the
// order of the cluster. It is empty if a demand of the pod itself ended the attempt before any node was asked.
func (b *both) mattering() (nodes []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(nodes, name) {
			nodes = append(nodes, name)
		}
	}
	add(b.Proposed.Node)
	add(b.Release.Node)

	// An attempt that ends in an error is refused, too, and its nodes are those on which the plugin fails.
	if b.Release.fails() {
		for _, name := range b.Release.Failed.Nodes {
			add(name)
		}
	}
	plan := b.Release.explained
	if plan.Refused.Code != preemption.Success {
		return nodes
	}
	for i := range plan.Nodes {
		if n := &plan.Nodes[i]; n.Status.Filter == devices.Name {
			add(n.Node)
		}
	}
	return nodes
}

// ended names the nodes on which the search for devices was cut short in either way.
func (b *both) ended() (names []string) {
	for _, w := range []*way{b.Release, b.Proposed} {
		for _, c := range slices.Concat(w.Turned, w.Helpless) {
			if slices.ContainsFunc(c.Reasons, devices.Ended) {
				names = append(names, c.Names...)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// shortageOf converts a shortage to the form of the document. The library writes the sentences.
func shortageOf(s *devices.Shortage) shortage {
	out := shortage{Node: s.Node, Refused: s.Refused, Short: s.Short, Matching: s.Matching, Untouched: s.Untouched, Held: []held{}, Enough: s.Enough,
		Trouble: s.Failed, Lines: strings.Split(strings.TrimSpace(s.String()), "\n")}
	for _, h := range s.Held {
		one := held{h.Claim, h.Devices, h.Sharing, h.Pods, h.Stays}
		if one.Devices == nil {
			one.Devices = []string{}
		}
		if one.Pods == nil {
			one.Pods = []outrank.Key{}
		}
		out.Held = append(out.Held, one)
	}
	return out
}

// sentence returns the answer of a way in a sentence.
func (w *way) sentence(d *dump, proposed bool) string {
	by := w.Rules
	if proposed {
		by = "With DRAPreemption"
	}

	e := w.explained
	if w.fails() {
		return fmt.Sprintf("%s: nobody leaves, and the pod stays pending: %s.", by, w.Failed.text(w.Feasible))
	}
	switch e.Outcome {
	case preemption.Fits:
		return fmt.Sprintf("%s: nobody has to leave; %s as things are.", by, takes(e.Feasible))
	case preemption.Preempts:
		return fmt.Sprintf("%s: %s to leave node %s.", by, have(len(e.Victims)), e.Node)
	case preemption.NotEligible:
		return fmt.Sprintf("%s: nobody leaves, and the pod stays pending: %s", by, e.Ineligible.Message())
	}
	if e.Refused.Code != preemption.Success {
		return fmt.Sprintf("%s: nobody leaves, and the pod stays pending, whatever the nodes: %s.", by, reasonsOf(e.Refused.Reasons))
	}

	// short counts the nodes that lack devices. still says that only devices are missing there once all pods
	// are gone that may leave.
	short, still := 0, true
	for i := range e.Nodes {
		n := &e.Nodes[i]
		if n.Status.Filter == devices.Name {
			short++
			still = still && (n.AfterRemoval == nil || n.AfterRemoval.Filter == "" || n.AfterRemoval.Filter == devices.Name)
		}
	}
	if short == 0 {
		return fmt.Sprintf("%s: nobody leaves, and the pod stays pending: other reasons turn every node down before its devices are looked at.", by)
	}

	end := "and no release preempts for devices"
	switch {
	case proposed && still:
		end = "and so with all pods gone that may leave"
	case proposed:
		end = "and with all pods gone that may leave that or something else is"
	}
	return fmt.Sprintf("%s: nobody leaves, and the pod stays pending: %s in the way on %d of %s, %s.", by, d.claimed(e.Pod), short, console.Plural(len(d.cluster.Nodes), "node"), end)
}

// someNodes names nodes.
func someNodes(names []string) string {
	if len(names) == 1 {
		return "node " + names[0]
	}
	return "nodes " + some(names, mostNear)
}

// claimed names what a pod claims, followed by the verb.
func (d *dump) claimed(pod *outrank.Pod) string {
	var names []string
	if p := d.podOf(pod.Key()); p != nil {
		for _, key := range claimsOf(p) {
			names = append(names, string(key))
		}
	}
	switch len(names) {
	case 0:
		return "the devices behind its extended resources are"
	case 1:
		return "claim " + names[0] + " is"
	}
	return "claims " + some(names, mostNear) + " are"
}

// takes says how many nodes take the pod.
func takes(n int) string {
	if n == 1 {
		return "1 node takes the pod"
	}
	return fmt.Sprintf("%d nodes take the pod", n)
}

// have returns the beginning of "have to leave" for a number of pods.
func have(n int) string {
	if n == 1 {
		return "1 pod has"
	}
	return fmt.Sprintf("%d pods have", n)
}

// reasonsOf lists the first few of the reasons of a node.
func reasonsOf(reasons []string) string { return some(reasons, mostNear) }
