package explain

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// finder finds what stands behind the answers of nodes to one pod.
type finder struct {
	snap    *preemption.Snapshot
	pod     *outrank.Pod
	config  preemption.Config
	trials  *preemption.Trials
	classes []*outrank.PriorityClass
	most    int

	// The indexes are made when they are first needed.
	neighbours *neighbourIndex
	spread     *spreadIndex
	// nearest is the node on which the least room is missing; nil where none is short of it.
	nearest *closest
}

// place is a node with the pods that are thought away.
type place struct {
	node  *outrank.Node
	trial *preemption.Trial
	// gone is true of the pods that are away; nil where all are there. gonePods lists
	// them, those on other nodes included.
	gone     func(*outrank.Pod) bool
	gonePods []*outrank.Pod
}

// isGone reports whether a pod is thought away.
func (at *place) isGone(p *outrank.Pod) bool { return at.gone != nil && at.gone(p) }

// at turns to a node as it is.
func (f *finder) at(name string) (*place, error) {
	trial, err := f.trials.On(name)
	if err != nil {
		return nil, err
	}
	node, _ := f.snap.Node(name)
	return &place{node: node, trial: trial}, nil
}

// without is a place with pods gone.
func (at *place) without(pods []*outrank.Pod) *place {
	set := make(map[*outrank.Pod]bool, len(pods))
	for _, p := range pods {
		set[p] = true
	}
	return &place{node: at.node, trial: at.trial, gone: func(p *outrank.Pod) bool { return set[p] }, gonePods: pods}
}

// empty is a place with every possible victim gone.
func (at *place) empty() *place { return at.without(at.trial.Possible()) }

// present lists the pods on the node that are not thought away, the most important
// first.
func (f *finder) present(at *place) []*outrank.Pod {
	pods := f.snap.PodsOn(at.node.Name)
	return slices.DeleteFunc(pods, func(p *outrank.Pod) bool {
		return at.isGone(p) || p.Key() == f.pod.Key()
	})
}

// holders lists who can hold things on the node: the pods that are present and, behind
// them, those that are nominated to it and count.
func (f *finder) holders(at *place) []*outrank.Pod {
	return append(f.present(at), at.trial.Nominated()...)
}

// ref refers to a pod on a node.
func (f *finder) ref(p *outrank.Pod, node string) *Pod {
	return &Pod{Key: p.Key(), Priority: f.trials.CountsAs(p), Node: node}
}

// find names what stands behind the answer of a node with pods gone; nil for success.
func (f *finder) find(at *place, s preemption.Status) *Obstacle {
	if s.Code == preemption.Success {
		return nil
	}
	o := &Obstacle{Filter: s.Filter, ExcludedBy: s.ExcludedBy, Reasons: slices.Clone(s.Reasons)}
	f.name(o, at, s)
	o.cut(f.most)
	return o
}

// behind names what stands behind a status of each filter.
var behind = map[string]func(*finder, *Obstacle, *place){
	filter.NodeUnschedulable:     (*finder).nameCordon,
	filter.NodeName:              func(f *finder, o *Obstacle, _ *place) { o.WantedNode = f.pod.NodeName },
	filter.TaintToleration:       (*finder).nameTaints,
	filter.NodeAffinity:          (*finder).nameLabels,
	filter.NodePorts:             (*finder).namePorts,
	filter.DeferredPodScheduling: func(_ *finder, o *Obstacle, at *place) { o.DisabledBy = slices.Clone(at.node.ResizePreemptionDisabled) },
	filter.NodeResourcesFit:      func(_ *finder, o *Obstacle, at *place) { o.Short = shortOf(at.trial.Room(at.gone)) },
	filter.VolumeRestrictions:    (*finder).nameDisks,
	filter.NodeVolumeLimits:      (*finder).nameLimits,
	filter.VolumeBinding:         (*finder).nameBinding,
	filter.VolumeZone:            (*finder).nameZones,
	filter.PodTopologySpread:     (*finder).nameSpread,
	filter.InterPodAffinity:      (*finder).nameNeighbours,
	filter.NodeDeclaredFeatures:  (*finder).nameFeatures,
}

func (f *finder) name(o *Obstacle, at *place, s preemption.Status) {
	if s.Filter == "" {
		f.nameUnasked(o, at)
		return
	}
	if name := behind[s.Filter]; name != nil { // a caller's filter explains itself
		name(f, o, at)
	}
}

// noVictims is what a node without possible victims says.
const noVictims = "No preemption victims found for incoming pod"

// nameUnasked is about nodes that no filter was asked about.
func (f *finder) nameUnasked(o *Obstacle, at *place) {
	switch o.ExcludedBy {
	case preemption.NodeAffinity:
		o.WantedNodes = namedNodes(f.pod)
	case preemption.NodeName:
		o.WantedNode = f.pod.NodeName
	}
	if slices.Equal(o.Reasons, []string{noVictims}) {
		o.Nobody = f.nobody(at)
	}
}

// nobody counts who is on a node without possible victims.
func (f *finder) nobody(at *place) *Nobody {
	n := &Nobody{}
	for _, p := range f.snap.PodsOn(at.node.Name) {
		if p.Key() == f.pod.Key() {
			continue
		}
		n.Pods++
		if as := f.trials.CountsAs(p); as < f.pod.PriorityValue() {
			n.Protected++
		} else if n.Pods-n.Protected == 1 || as < n.Least {
			n.Least = as
		}
	}
	return n
}

// shortOf returns what is short.
func shortOf(rooms []preemption.Room) []Shortage {
	var out []Shortage
	for _, r := range rooms {
		if r.Short() > 0 {
			out = append(out, shortageOf(r))
		}
	}
	return out
}

func shortageOf(r preemption.Room) Shortage {
	q := func(amount int64) resource.Quantity { return prose.Quantity(r.Resource, amount) }
	return Shortage{
		Resource: r.Resource, Needed: q(r.Needed), Free: q(r.Free()), Short: q(r.Short()), Offered: q(r.Offered),
		Reserved: q(r.Reserved),
	}
}

func (f *finder) nameCordon(o *Obstacle, at *place) {
	if !fit.Unschedulable(f.pod, at.node) {
		return
	}
	o.Cordoned = true
	o.Taints = []Taint{tolerated(outrank.Taint{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule})}
}

func (f *finder) nameTaints(o *Obstacle, at *place) {
	for _, t := range at.node.Taints {
		if (t.Effect == outrank.NoSchedule || t.Effect == outrank.NoExecute) && !f.pod.Tolerates(t) {
			o.Taints = append(o.Taints, tolerated(t))
		}
	}
}

// tolerated adds the narrowest toleration that covers the taint.
func tolerated(t outrank.Taint) Taint {
	out := Taint{Taint: t, Toleration: outrank.Toleration{
		Key: t.Key, Operator: outrank.TolerationEqual, Value: t.Value, Effect: t.Effect,
	}}
	if t.Value == "" {
		out.Toleration.Operator = outrank.TolerationExists
	}
	return out
}

func (f *finder) namePorts(o *Obstacle, at *place) {
	holders := f.holders(at)
	for _, port := range fit.HostPorts(f.pod) {
		i := slices.IndexFunc(holders, func(p *outrank.Pod) bool {
			return slices.ContainsFunc(fit.HostPorts(p), port.Overlaps)
		})
		if i >= 0 {
			o.Ports = append(o.Ports, Port{port.Port, port.Protocol, port.IP, f.ref(holders[i], at.node.Name)})
		}
	}
}

// The features that a pod can need of its node, by what asks for them (rules 7.14.3,
// 7.14.4 and 7.14.6).
const (
	featureUserNamespaces   = "UserNamespacesHostNetworkSupport"
	featureRestartContainer = "RestartAllContainersOnContainerExits"
	featureBindMounts       = "VolumeBindMountOptions"
)

func (f *finder) nameFeatures(o *Obstacle, at *place) {
	p := f.pod
	containers := slices.Concat(p.InitContainers, p.Containers)
	needs := []struct {
		feature string
		needed  bool
	}{
		{featureUserNamespaces, p.HostNetwork && p.HostUsers != nil && !*p.HostUsers},
		{featureRestartContainer, slices.ContainsFunc(containers, func(c outrank.Container) bool { return c.RestartsAll })},
		{featureBindMounts, slices.ContainsFunc(containers, func(c outrank.Container) bool { return c.BindMountOptions })},
	}
	for _, n := range needs {
		if n.needed && !slices.Contains(at.node.DeclaredFeatures, n.feature) {
			o.Features = append(o.Features, n.feature)
		}
	}
}

// cut shortens the lists of things.
func (o *Obstacle) cut(most int) {
	o.More = 0
	o.Taints = cut(o.Taints, most, &o.More)
	o.WantedNodes = cut(o.WantedNodes, most, &o.More)
	o.Labels = cut(o.Labels, most, &o.More)
	o.Terms = cut(o.Terms, most, &o.More)
	o.Ports = cut(o.Ports, most, &o.More)
	o.Volumes = cut(o.Volumes, most, &o.More)
	o.Limits = cut(o.Limits, most, &o.More)
	o.Spread = cut(o.Spread, most, &o.More)
	o.Neighbours = cut(o.Neighbours, most, &o.More)
	o.DisabledBy = cut(o.DisabledBy, most, &o.More)
}

// cut shortens a list and counts what it leaves out.
func cut[T any](list []T, most int, more *int) []T {
	if len(list) <= most {
		return list
	}
	*more += len(list) - most
	return slices.Clip(list[:most])
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
