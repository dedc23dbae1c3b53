package thirdparty

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Contrary is a filter whose answer about a node may change once pods are removed, against the rule that
// removals only help. Says has its answers by the nodes' names.
type Contrary struct{ Says map[string]Moods }

// Moods are the answers of a [Contrary] about one node: Now in the attempt itself, Then in dry runs.
type Moods struct{ Now, Then string }

// The answers of a contrary filter. An empty one lets the node take the pod; byWhatIsHere depends on the pods on
// the node.
const (
	no           = "no"
	never        = "never"
	breaks       = "breaks"
	byWhatIsHere = "by what is there"
)

// ContraryName is the name of a [Contrary] as a plugin, and as a filter of outrank.
const ContraryName = "Contrary"

// The messages of the filters of this package.
const (
	noText     = "the filter says no"
	neverText  = "the filter says never"
	brokenText = "the filter is broken"
)

// DrawContrary draws a filter for a cluster with these nodes.
func DrawContrary(r *rand.Rand, nodes []*corev1.Node) *Contrary {
	c := &Contrary{Says: map[string]Moods{}}

	// The answers to choose from are drawn first, so that some filters answer alike about all nodes.
	now := pick(r, []string{no}, []string{no, never, ""}, []string{"", "", no})
	then := pick(r, []string{""}, []string{breaks}, []string{"", no, never, breaks, byWhatIsHere}, []string{byWhatIsHere}, []string{"", breaks})
	for _, n := range nodes {
		c.Says[n.Name] = Moods{Now: pick(r, now...), Then: pick(r, then...)}
	}
	return c
}

// says returns the filter's answer about a node with these pods.
func (c *Contrary) says(node string, dry bool, pods []string) string {
	m := c.Says[node]
	if !dry {
		return m.Now
	}
	if m.Then != byWhatIsHere {
		return m.Then
	}

	// The same pods give the same answer, in whatever order they come.
	h := fnv.New32a()
	for _, key := range slices.Sorted(slices.Values(pods)) {
		_, _ = h.Write([]byte(node + key + " "))
	}
	if h.Sum32()%2 == 0 {
		return no
	}
	return ""
}

// Plugin returns the filter as a plugin of the scheduler.
func (c *Contrary) Plugin() fwk.Plugin { return contraryPlugin{c} }

type contraryPlugin struct{ *Contrary }

// contraryDry is the filter's state in an attempt. Dry is set when a pod is removed, which happens in dry runs
// alone.
type contraryDry struct{ dry bool }

func (d *contraryDry) Clone() fwk.StateData { c := *d; return &c }

func (contraryPlugin) Name() string { return ContraryName }

func (contraryPlugin) PreFilter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	state.Write(ContraryName, &contraryDry{})
	return nil, nil
}

func (p contraryPlugin) PreFilterExtensions() fwk.PreFilterExtensions { return p }

func (contraryPlugin) AddPod(context.Context, fwk.CycleState, *corev1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	return nil
}

func (contraryPlugin) RemovePod(_ context.Context, state fwk.CycleState, _ *corev1.Pod, _ fwk.PodInfo, _ fwk.NodeInfo) *fwk.Status {
	state.Write(ContraryName, &contraryDry{true})
	return nil
}

func (p contraryPlugin) Filter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, on fwk.NodeInfo) *fwk.Status {
	data, err := state.Read(ContraryName)
	if err != nil {
		return fwk.AsStatus(err)
	}
	var pods []string
	for _, info := range on.GetPods() {
		pods = append(pods, podKey(info.GetPod()))
	}
	switch p.says(on.Node().Name, data.(*contraryDry).dry, pods) {
	case no:
		return fwk.NewStatus(fwk.Unschedulable, noText)
	case never:
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, neverText)
	case breaks:
		return fwk.AsStatus(errors.New(brokenText))
	}
	return nil
}

// Filter returns the filter as outrank asks it.
func (c *Contrary) Filter() *preemption.Filter {
	start := func(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		s := &contraryState{Contrary: c, pods: map[string]map[string]bool{}, dry: map[string]bool{}}
		for n := range view.Nodes() {
			s.pods[n.Name] = map[string]bool{}
			for _, p := range view.PodsOn(n.Name) {
				if !p.Finished() {
					s.pods[n.Name][string(p.Key())] = true
				}
			}
		}
		return s, nil
	}
	return &preemption.Filter{Name: ContraryName, Start: start}
}

type contraryState struct {
	*Contrary
	pods map[string]map[string]bool // by node
	dry  map[string]bool
}

func (s *contraryState) Check(n *outrank.Node) preemption.Status {
	switch s.says(n.Name, s.dry[n.Name], slices.Collect(maps.Keys(s.pods[n.Name]))) {
	case no:
		return preemption.Unschedulable.Because(noText)
	case never:
		return preemption.UnschedulableAndUnresolvable.Because(neverText)
	case breaks: // as the reference wraps it
		return preemption.Contradiction.Because(fmt.Sprintf("running %q filter plugin: %s", ContraryName, brokenText))
	}
	return preemption.Status{}
}

func (s *contraryState) Remove(p *outrank.Pod, n *outrank.Node) {
	s.dry[n.Name] = true
	delete(s.pods[n.Name], string(p.Key()))
}

func (s *contraryState) Add(p *outrank.Pod, n *outrank.Node) { s.pods[n.Name][string(p.Key())] = true }

func (s *contraryState) Clone() preemption.FilterState {
	c := &contraryState{Contrary: s.Contrary, pods: map[string]map[string]bool{}, dry: maps.Clone(s.dry)}
	for node, pods := range s.pods {
		c.pods[node] = maps.Clone(pods)
	}
	return c
}
